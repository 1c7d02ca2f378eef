// The noun Platform: what this installation is. One a tree, in weir.yaml.
import { z } from 'zod';
import { api } from './api-settings.ts';
import { auditFile, auditTo } from './audit-targets.ts';
import { defineKind, immutable, matching, secret, setOf } from './kind.ts';
import { notifications } from './notifications.ts';
import { count, dnsDomain, flag, hours, text, url } from './scalars.ts';

const driver = z
  .strictObject({
    kind: immutable(z.enum(['local', 'container', 'orchestrator']), 'instances exist')
      .default('local')
      .describe(
        'Where instances run: as processes of this machine (local), as containers (container) or in a cluster (orchestrator). Cannot change while instances exist.',
      ),
    stacksDirectory: text(4096)
      .default('stacks')
      .describe(
        'The folder in which the local driver finds one directory a stack, named like its runtime. A relative path starts at the folder of the store.',
      ),
    isolation: z
      .enum(['auto', 'none', 'bwrap', 'user'])
      .default('auto')
      .describe(
        'How the local driver keeps instances from each other and from Weir: in namespaces by bubblewrap (bwrap), as a user of its own each, where Weir is root (user), not at all (none), or as strongly as this machine can, with a warning where it cannot (auto). What is written and cannot be had keeps instances from starting.',
      ),
    firstUserId: z
      .int()
      .min(1000)
      .max(2_000_000_000)
      .default(200_000)
      .describe(
        'The first of the 60000 user numbers that the local driver gives to instances, one each, where Weir is root (1000 to 2000000000). Nothing else on the machine may use them.',
      ),
  })
  .prefault({})
  .describe('What runs the instances.');

/** What holds where nobody says otherwise, and in a store that was kept before there were these fields. */
export const usualGateway = { perInstance: 2048, perClient: 1024 } as const;

const gateway = z
  .strictObject({
    perInstance: count(1_000_000)
      .min(1)
      .default(usualGateway.perInstance)
      .describe('Requests that may be under way to one instance at once, and as many open WebSockets besides.'),
    perClient: count(1_000_000)
      .min(1)
      .default(usualGateway.perClient)
      .describe(
        'Requests that one client address may have under way to instances at once, and as many open WebSockets besides. Of IPv6 the first 64 bits count as one address.',
      ),
  })
  .prefault({})
  .describe(
    'Limits of what goes to instances. Over them the answer is 503; a change holds at once. What is open stays open.',
  );

const smtp = z
  .strictObject({
    host: text(253).default('localhost').describe('The host name or address of the mail server.'),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe('The TCP port of the mail server. Absent: 465 when `secure` is true, else 587.'),
    secure: flag(
      false,
      'Whether TLS begins with the connection (port 465). When false the connection is upgraded with STARTTLS if the server offers it.',
    ),
    username: text(255).optional().describe('The name to sign in to the mail server with. Absent: no sign-in.'),
    password: secret().optional().describe('The password to sign in to the mail server with, by reference.'),
  })
  .prefault({})
  .describe('The mail server that takes outgoing mail.');

const email = z
  .strictObject({
    from: text(320)
      .default('Weir <weir@localhost>')
      .describe('The sender of every mail: `name@example.com` or `Name <name@example.com>`.'),
    smtp,
  })
  .optional()
  .describe(
    'Outgoing mail. Absent: email is off, and with it registration, password reset, external invitations and the feature emailAlerts.',
  );

const ai = z
  .strictObject({
    enabled: flag(
      false,
      'Whether any AI functionality may be used on this platform. Team types switch it on for their teams.',
    ),
    assistantService: z
      .strictObject({
        url: url().optional().describe('The http(s) address of the assistant service.'),
        token: secret().optional().describe('The token that the assistant service asks for, by reference.'),
      })
      .optional()
      .describe(
        'The service behind inline code completion and generated snapshot descriptions. Without its `url` these two features have no effect.',
      ),
  })
  .prefault({})
  .describe('AI functionality of the platform.');

const billing = z
  .strictObject({
    enabled: flag(false, 'Whether instance types may carry a price.'),
    provider: text(100).optional().describe('The name of the payment provider that knows the prices.'),
  })
  .prefault({})
  .describe('Billing through an external payment provider.');

const sessions = z
  .strictObject({
    expiryHours: hours()
      .default(168)
      .describe(
        'The longest life of a sign-in session, in hours (1 to 8760). A single sign-on configuration may override it. Acts on sessions that begin after the change.',
      ),
    idleHours: hours()
      .default(32)
      .describe(
        'How long a session may stay unused, in hours (1 to 8760). A single sign-on configuration may override it.',
      ),
  })
  .prefault({})
  .describe('How long sign-in sessions last.');

const reconcile = z
  .strictObject({
    mode: z
      .enum(['auto', 'manual'])
      .default('auto')
      .describe(
        'Whether the server applies a changed tree by itself (auto), or plans it and waits until somebody applies it with `weir apply --server` (manual). The value of the applied state counts.',
      ),
    prune: flag(
      true,
      'Whether an object whose document left the tree is deleted. When false it stays and is reported.',
    ),
    maxDeletes: z
      .strictObject({
        count: count(1_000_000).default(10).describe('The most objects that one revision may delete without consent.'),
        percent: count(100)
          .default(20)
          .describe(
            'The largest share of the declared objects, in percent, that one revision may delete once 5 objects are declared.',
          ),
      })
      .prefault({})
      .describe(
        'The guard against mass deletion. The values of the applied state count, never those of the revision that deletes.',
      ),
    settleMs: z
      .int()
      .min(50)
      .max(60_000)
      .default(200)
      .describe('How long a file of the tree must stay unchanged before it counts, in milliseconds (50 to 60000).'),
    pollSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .default(10)
      .describe('How often the tree is compared even when nothing reported a change, in seconds (1 to 86400).'),
    drift: z
      .enum(['revert', 'report'])
      .default('revert')
      .describe('What happens when an object is not as its document says: put right (revert) or only shown (report).'),
  })
  .prefault({})
  .describe('How the server follows the tree.');

/** The installation (specification 1, 2.3, 5.6). Times in the unit that the field's name says. */
export const platform = defineKind({
  kind: 'Platform',
  plural: 'platforms',
  path: 'platform',
  declared: true,
  singleton: 'platform',
  summary: 'What this installation is: licence, driver, mail, sessions, and how the tree is followed.',
  spec: z.strictObject({
    licence: z
      .enum(['community', 'enterprise'])
      .default('community')
      .describe('The licence of this installation. Single sign-on and vendor nodes need `enterprise`.'),
    driver,
    gateway,
    email,
    ai,
    billing,
    vendorCatalogue: z
      .strictObject({
        token: secret().optional().describe('The security token from the vendor, by reference.'),
      })
      .optional()
      .describe(
        'Access to vendor nodes. Without its token the features certifiedNodes and exclusiveNodes have no effect.',
      ),
    tables: z
      .strictObject({
        url: matching(
          2048,
          /^[a-z][a-z0-9+.-]*:\/\/(?:[^\s/:]+(?::[^\s/@]*)?(?:\/\S*)?|\/\S*)$/,
          'it must be an address like postgres://user@host:5432/name, without a password in it',
        )
          .optional()
          .describe('The address of the database server, as `postgres://user@host:5432/name`, without a password.'),
      })
      .optional()
      .describe('The database server behind team tables. Without its `url` the feature tables has no effect.'),
    customHostnames: z
      .strictObject({
        domain: dnsDomain()
          .optional()
          .describe(
            'The domain below which each instance has a host name: its id in lower case. Custom hostnames point at it, too. Absent: instances are reached below a path.',
          ),
      })
      .optional()
      .describe('Host names of instances. Without its `domain` the feature customHostnames has no effect.'),
    sessions,
    reconcile,
    exclude: setOf(text(1024))
      .default([])
      .describe('Files of the tree that are not read: globs relative to its root, like `drafts/**`.'),
    api,
    notifications,
    auditTo,
    auditFile,
  }),
  example: `apiVersion: weir/v1
kind: Platform
metadata:
  name: platform
spec:
  licence: enterprise
  driver:
    kind: local
    stacksDirectory: stacks
  email:
    from: Flows <flows@example.com>
    smtp:
      host: smtp.example.com
      port: 465
      secure: true
      username: flows
      password: {fromEnv: WEIR_SECRET_SMTP}
  sessions:
    expiryHours: 168
    idleHours: 32
  reconcile:
    maxDeletes: {count: 10, percent: 20}
    drift: revert
  exclude:
    - drafts/**
  notifications:
    - name: ci
      url: https://ci.example.com/hooks/weir
      secret: {fromEnv: WEIR_SECRET_CI_HOOK}
      events: [refused, drifted, recovered]
  auditTo:
    - name: siem
      url: https://siem.example.com/weir
      secret: {fromEnv: WEIR_SECRET_SIEM_HOOK}
  auditFile:
    path: /var/log/weir/audit.jsonl
    maxMegabytes: 100
    keep: 10
`,
});
