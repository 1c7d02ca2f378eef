// timeout: 1200
// Signing in with the password of a real directory: Debian's slapd, with people and groups whose names are made to break filters and DNs.
import { Attribute, Change, Client } from 'ldapts';
import * as assert from 'uvu/assert';
import { ldapProvider } from '../../../src/sso/ldap.ts';
import { debian, suiteWith } from '../../support/debian.ts';
import { rootDn, rootPassword, type Slapd, slapdCommands, slapdPackages, startSlapd } from '../../support/slapd.ts';
import {
  type ConfigOptions,
  configuration,
  dnValue,
  group,
  mailName,
  people,
  person,
  referral,
  secretOf,
  uniqueGroup,
  unit,
} from './sample-directory.ts';

const commands = debian(slapdPackages, slapdCommands);
const provider = ldapProvider({ secretOf });

const odd = [
  'o"brien',
  "d'arc",
  'st*r',
  '(paren)',
  'com,ma',
  'back\\slash',
  'équipe',
  '日本',
  'a#b;c<d>e',
  'plus+eq=',
  '$&',
  '$1',
];
const oddDn = (uid: string) => `uid=${dnValue(uid)},${people}`;
const many = Array.from({ length: 30 }, (_, index) => `many-${index}`);

const ldif = [
  ...['people', 'groups', 'twins', 'many', 'split'].map(unit),
  person('ann', { displayName: 'Ann Example', cn: 'Ann' }),
  person('bob', { mail: ['bob@elsewhere.org', 'Bob.B@EXAMPLE.com', 'bob2@example.com'], displayName: ['Bob\nB'] }),
  person('again', { objectClass: ['inetOrgPerson', 'weirUnique'], x500UniqueIdentifier: "'0101'B" }),
  person('nomail', { mail: [] }),
  person('other', { mail: ['other@example.com.evil.org', 'other@sub.example.com', '@example.com', 'a b@example.com'] }),
  person('nopassword', { userPassword: [] }),
  ...odd.map((uid) => person(uid)),
  person('twin', {}, 'cn=first,ou=twins,dc=example,dc=com'),
  person('twin', {}, 'cn=second,ou=twins,dc=example,dc=com'),
  ...many.map((uid) => person(uid, {}, `uid=${uid},ou=many,dc=example,dc=com`)),
  group('svc-core-member', [oddDn('ann')]),
  uniqueGroup('svc-other-owner', [oddDn('ann'), `${oddDn('bob')}#'0101'B`]),
  uniqueGroup('svc-again-owner', [`${oddDn('again')}#'0101'B`]),
  uniqueGroup('svc-before-owner', [`${oddDn('again')}#'1111'B`]),
  ...odd.map((uid) => group(`of ${uid}`, [oddDn(uid)])),
  group('everybody', odd.map(oddDn)),
  group('svc-split-member', [oddDn('ann')], 'cn=svc-split-member,ou=split,dc=example,dc=com'),
  referral('ou=there,ou=split,dc=example,dc=com', 'ldap://127.0.0.1:9/ou=there,dc=example,dc=com'),
  referral('ou=away,dc=example,dc=com', 'ldap://127.0.0.1:9/ou=away,dc=example,dc=com'),
].join('');

const uniqueObjects =
  "objectclass ( 1.3.6.1.4.1.99999.1 NAME 'weirUnique' SUP top AUXILIARY MAY x500UniqueIdentifier )";

/** As Active Directory has it: bytes that are no text. */
const guids = `attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
objectclass ( 1.3.6.1.4.1.99999.2 NAME 'weirGuid' SUP top AUXILIARY MAY objectGUID )`;

const real = suiteWith(commands, 'a sign-in by a directory');
let slapd: Slapd;
real.before(async () => {
  if (!commands) return;
  const global = `${uniqueObjects}\n${guids}\nallow bind_anon_cred bind_anon_dn`;
  slapd = await startSlapd(commands, { ldif, global, database: `limits dn.exact="${limitedDn}" size=20` });
});
real.after(async () => {
  await slapd?.stop();
});

const limitedDn = oddDn('ann');
const limited = { username: limitedDn, password: { value: 'pw-ann' } };
const groupDn = 'ou=groups,dc=example,dc=com';
const byGroups = { ldap: { groupDn }, groups: { manageRoles: true } };

function asked(username: string, password: string, options: Omit<ConfigOptions, 'server'> = {}) {
  return provider.authenticate(configuration({ server: `127.0.0.1:${slapd.port}`, ...options }), {
    username,
    password,
  });
}

async function asRoot(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ url: `ldap://127.0.0.1:${slapd.port}` });
  try {
    await client.bind(rootDn, rootPassword);
    await work(client);
  } finally {
    await client.unbind();
  }
}

/** What was answered, without the ids that a directory makes up. */
async function namedBy(username: string, password: string) {
  const answer = await asked(username, password);
  if (answer.outcome !== 'proved') return answer;
  const { lastingIds: _, ...identity } = answer.identity;
  return { ...answer, identity };
}

async function refusal(
  username: string,
  password: string,
  options: Omit<ConfigOptions, 'server'> = {},
): Promise<string> {
  const answer = await asked(username, password, options);
  assert.is(answer.outcome, 'refused', JSON.stringify(answer));
  return 'reason' in answer ? answer.reason : '';
}

async function trouble(options: Omit<ConfigOptions, 'server'>, username = 'ann', password = 'pw-ann'): Promise<string> {
  const answer = await asked(username, password, options);
  assert.is(answer.outcome, 'unavailable', JSON.stringify(answer));
  return 'reason' in answer ? answer.reason : '';
}

async function groupsOf(username: string, options: Omit<ConfigOptions, 'server'> = byGroups) {
  const answer = await asked(username, `pw-${username}`, options);
  assert.is(answer.outcome, 'proved', JSON.stringify(answer));
  return 'identity' in answer ? [...(answer.identity.groups ?? ['none were asked for'])].sort() : [];
}

/** What the directory said, when it has said all. */
async function quiet(): Promise<string> {
  await new Promise((done) => setTimeout(done, 100));
  return slapd.log();
}

real('proves who shows the right password', async () => {
  assert.equal(await namedBy('ann', 'pw-ann'), {
    outcome: 'proved',
    identity: { email: 'ann@example.com', username: 'ann', displayName: 'Ann Example' },
  });
});

real('says whose password it was not, by whatever spelling the directory found them', async () => {
  for (const typed of ['ann', 'ANN', 'ａnn', ' ann ']) {
    const answer = await asked(typed, 'wrong');
    assert.equal([answer.outcome, 'email' in answer && answer.email], ['refused', 'ann@example.com'], typed);
  }
  assert.not('email' in (await asked('nobody', 'wrong')));
});

real('takes an address or a username, by whatever the filter asks', async () => {
  const filters = ['(uid=${username})', '(mail=${email})', '(|(uid=${username})(mail=${email}))', '(uid=*${username})'];
  for (const userSearchFilter of [...filters, '(&(objectClass=inetOrgPerson)(!(uid=caf\\c3\\a9))(uid=${username}))'])
    for (const typed of ['ann', 'ANN@Example.COM', 'ann@example.com']) {
      const { outcome } = await asked(typed, 'pw-ann', { ldap: { userSearchFilter } });
      assert.is(outcome, 'proved', `${userSearchFilter} ${typed}`);
    }
});

real('reads a filter that is spread over lines', async () => {
  const userSearchFilter = `
    (&
      (objectClass=inetOrgPerson)
      (| (uid=\${username})
         (mail=\${email}) )
      (! (uid=bob))
    )
  `;
  assert.is((await asked('ann', 'pw-ann', { ldap: { userSearchFilter } })).outcome, 'proved');
  assert.is((await asked('bob', 'pw-bob', { ldap: { userSearchFilter } })).outcome, 'refused');
});

real('reads escapes of letters beyond ASCII in the filter as UTF-8', async () => {
  const userSearchFilter = '(&(uid=\\c3\\a9quipe)(mail=${email}))';
  assert.is((await asked('xe9quipe', 'pw-équipe', { ldap: { userSearchFilter } })).outcome, 'proved');
});

real('takes the first address of the domain, in lower case, and names that fit a line', async () => {
  const answer = await namedBy('bob', 'pw-bob');
  assert.equal(answer, {
    outcome: 'proved',
    identity: { email: 'bob.b@example.com', username: 'bob', displayName: 'Bob B' },
  });
});

real('is who the entry says, whoever was typed', async () => {
  const userSearchFilter = '(|(uid=${username})(description=${username}))';
  const answer = await asked('ANN@example.com', 'pw-ann', { ldap: { userSearchFilter } });
  assert.is('identity' in answer && answer.identity.email, 'ann@example.com');
});

real(
  'knows people and their groups by any name, quotes, stars, parentheses, commas and backslashes included',
  async () => {
    for (const uid of odd) {
      const answer = await asked(uid, `pw-${uid}`, byGroups);
      assert.is('identity' in answer && answer.identity.email, `${mailName(uid)}@example.com`, uid);
      assert.equal(await groupsOf(uid), ['everybody', `of ${uid}`].sort());
    }
  },
);

real('never lets what was typed be more than a value of the filter', async () => {
  const typed = [
    '*',
    'a*',
    'ann)(uid=*',
    '*)(|(uid=*',
    'ann)(objectClass=*',
    '\\61nn',
    '\\2a',
    'ann\0',
    'a\\00',
    '${email}',
    '$&',
    "$'",
    '$`',
  ];
  for (const username of typed.filter((one) => !odd.includes(one)))
    for (const userSearchFilter of [
      '(uid=${username})',
      '(&(uid=${username})(objectClass=person))',
      '(|(uid=${username})(mail=${email}))',
    ])
      for (const password of ['pw-ann', 'pw-st*r'])
        assert.is(
          await refusal(username, password, { ldap: { userSearchFilter } }),
          'the directory has no such user',
          username,
        );
  assert.is(await refusal('a'.repeat(300), 'pw-ann'), 'that can be no user of the domain example.com');
});

real('refuses a wrong password, and one that is another’s', async () => {
  const words = `the directory does not take the password of "${oddDn('ann')}" (invalidCredentials, 49)`;
  for (const password of ['wrong', 'pw-bob', 'PW-ANN', 'pw-ann ', 'pw-an'])
    assert.is(await refusal('ann', password), words);
  assert.match(await refusal('nopassword', 'pw-nopassword'), /does not take the password/);
});

real('refuses an empty password though the directory lets everybody in who has none', async () => {
  const bare = new Client({ url: `ldap://127.0.0.1:${slapd.port}` });
  await bare.bind(oddDn('ann'), '');
  await bare.unbind();
  const before = await quiet();
  for (const password of ['', '\0', 'pw-ann\0', undefined, null, 0, [], {}, 'x'.repeat(2000)])
    assert.match(
      await refusal('ann', password as string),
      /^(no password was given|the password (holds a NUL|is longer than any))$/,
    );
  assert.is(slapd.log(), before);
});

real('asks nothing for a name that is none, or of another domain', async () => {
  const before = await quiet();
  for (const username of ['', ' ', '@example.com', 'ann@elsewhere.org', 'ann@example.com.evil.org', undefined, 7])
    assert.is(await refusal(username as string, 'pw-ann'), 'that can be no user of the domain example.com');
  assert.is(slapd.log(), before);
});

real('takes as many steps for somebody who is not there', async () => {
  const steps = async (username: string) => {
    const before = (await quiet()).length;
    await refusal(username, 'wrong');
    // Threads of the directory write down their own steps: not in the order of the others'.
    return ((await quiet()).slice(before).match(/ (BIND dn|SRCH base|ACCEPT)/g) ?? []).sort();
  };
  assert.equal(await steps('nobody'), await steps('ann'));
});

real('refuses entries without an address of the domain', async () => {
  assert.match(
    await refusal('nomail', 'pw-nomail'),
    /^the entry "uid=nomail,.*" cannot sign in, because it has no mail that ldap\.username may see: give it one/,
  );
  assert.match(await refusal('other', 'pw-other'), /because none of its mail addresses is of the domain example\.com$/);
});

real('refuses two entries for one name, whoever has that password', async () => {
  const ldap = { baseDn: 'dc=example,dc=com' };
  assert.match(
    await refusal('twin', 'pw-twin', { ldap }),
    /^more than one entry of the directory matches: ldap\.userSearchFilter/,
  );
  const userSearchFilter = '(|(uid=${username})(uid=many-*))';
  assert.match(await refusal('ann', 'pw-ann', { ldap: { ...ldap, userSearchFilter } }), /^more than one entry/);
  assert.match(
    await refusal('ann', 'pw-ann', { ldap: { ...ldap, ...limited, userSearchFilter } }),
    /^more than one entry/,
  );
});

real('refuses two entries that have one mail, though each is found by a name of its own', async () => {
  const attributes = {
    objectClass: 'inetOrgPerson',
    cn: 'ann',
    sn: 'ann',
    mail: ['own@example.com', 'ANN@example.com'],
  };
  const dn = `uid=ann-too,${people}`;
  await asRoot((client) => client.add(dn, { ...attributes, uid: 'ann-too', userPassword: 'pw-too' }));
  assert.is((await asked('ann', 'pw-ann')).outcome, 'proved', 'the other is known by its first mail');
  await asRoot(async (client) => {
    await client.del(dn);
    await client.add(dn, { ...attributes, mail: 'ANN@example.com', uid: 'ann-too', userPassword: 'pw-too' });
  });
  const reasons = [await refusal('ann', 'pw-ann'), await refusal('ann-too', 'pw-too')];
  await asRoot((client) => client.del(dn));
  for (const reason of reasons) {
    assert.match(reason, /have one mail, ann@example\.com, and would be one account: give each/);
    for (const both of [`"uid=ann,${people}"`, `"${dn}"`]) assert.ok(reason.includes(both), reason);
  }
});

real(
  'tells an id of the entry that is another one when the person has left and somebody has their address again',
  async () => {
    const attributes = { objectClass: 'inetOrgPerson', cn: 'lea', sn: 'lea', uid: 'lea', mail: 'lea@example.com' };
    const dn = `uid=lea,${people}`;
    const ids: (string | undefined)[] = [];
    for (const userPassword of ['pw-first', 'pw-second']) {
      await asRoot((client) => client.add(dn, { ...attributes, userPassword }));
      for (const _ of [1, 2]) {
        const answer = await asked('lea', userPassword);
        ids.push('identity' in answer ? answer.identity.lastingIds?.entryUUID : undefined);
      }
      await asRoot((client) => client.del(dn));
    }
    const [first, again, second] = ids;
    assert.match(first ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.is(again, first);
    assert.ok(second !== undefined && second !== first, 'of the new entry');
  },
);

real('tells an objectGUID byte by byte', async () => {
  const dn = `uid=guid,${people}`;
  const attributes = {
    objectClass: ['inetOrgPerson', 'weirGuid'],
    cn: 'g',
    sn: 'g',
    uid: 'guid',
    mail: 'guid@example.com',
  };
  const told: (string | undefined)[] = [];
  for (const last of [0xfe, 0xff]) {
    const objectGUID = Buffer.from([0xc3, 0x28, 0x00, 0x80, last]);
    const modification = new Attribute({ type: 'objectGUID', values: [objectGUID] });
    await asRoot(async (client) => {
      await client.add(dn, { ...attributes, userPassword: 'pw-guid' });
      await client.modify(dn, new Change({ operation: 'add', modification }));
    });
    const answer = await asked('guid', 'pw-guid');
    told.push('identity' in answer ? answer.identity.lastingIds?.objectGUID : undefined);
    await asRoot((client) => client.del(dn));
  }
  assert.equal(told, ['c3280080fe', 'c3280080ff']);
});

real('asks for groups only where they decide something', async () => {
  assert.equal(await groupsOf('ann', { ldap: { groupDn } }), ['none were asked for']);
  assert.equal(await groupsOf('ann', { ldap: { groupDn }, groups: { adminGroup: 'admins' } }), [
    'svc-core-member',
    'svc-other-owner',
  ]);
  assert.equal(await groupsOf('ann'), ['svc-core-member', 'svc-other-owner']);
});

real('tells the groups as they are named, and none that names an earlier holder of the DN', async () => {
  assert.equal(await groupsOf('again'), ['svc-again-owner']);
  assert.equal(await groupsOf('bob'), []);
});

real('reads more groups than a page holds', async () => {
  if (!commands) return;
  const names = Array.from({ length: 1203 }, (_, index) => `svc-team-${index}-member`);
  const full = await startSlapd(commands, {
    ldif: [unit('people'), unit('groups'), person('ann'), ...names.map((name) => group(name, [oddDn('ann')]))].join(''),
  });
  try {
    const answer = await provider.authenticate(configuration({ server: `127.0.0.1:${full.port}`, ...byGroups }), {
      username: 'ann',
      password: 'pw-ann',
    });
    assert.equal('identity' in answer && [...(answer.identity.groups ?? [])].sort(), names.sort());
    const poor = { username: oddDn('ann'), password: { value: 'pw-ann' } };
    const short = await provider.authenticate(
      configuration({ server: `127.0.0.1:${full.port}`, ldap: { groupDn, ...poor }, groups: { manageRoles: true } }),
      { username: 'ann', password: 'pw-ann' },
    );
    assert.is(short.outcome, 'unavailable', JSON.stringify(short).slice(0, 300));
    assert.match('reason' in short ? short.reason : '', /stopped at its limit before it had told all groups/);
  } finally {
    await full.stop();
  }
});

real('fails where a part of the groups is on another server', async () => {
  const split = { ldap: { groupDn: 'ou=split,dc=example,dc=com' }, groups: { manageRoles: true } };
  assert.match(
    await trouble(split),
    /refers to another server for a part of the groups, and referrals are not followed/,
  );
  const away = { ldap: { groupDn: 'ou=away,dc=example,dc=com' }, groups: { manageRoles: true } };
  assert.match(
    await trouble(away),
    /refers to another server while the groups of the user were searched.*\(referral, 10\)/,
  );
  assert.match(
    await trouble({ ldap: { baseDn: 'ou=away,dc=example,dc=com' } }),
    /refers to another server while the user was searched/,
  );
});

real('finds a user beside a part that is on another server', async () => {
  const ldap = { baseDn: 'dc=example,dc=com' };
  assert.is((await asked('ann', 'pw-ann', { ldap })).outcome, 'proved');
  assert.match(
    await refusal('nobody', 'x', { ldap }),
    /^the directory has no such user here; it refers to another server/,
  );
});

real('says what is wrong with the configuration', async () => {
  const cases = [
    [
      { password: { value: 'wrong' } },
      /does not accept ldap\.username with ldap\.password.*\(invalidCredentials, 49\)/,
    ],
    [{ username: 'cn=nobody,dc=example,dc=com' }, /does not accept ldap\.username/],
    [{ username: 'not a dn' }, /does not take ldap\.username: it is no DN \(invalidDNSyntax, 34\)/],
    [{ username: 'EXTERNAL' }, /^ldap\.username is no DN$/],
    [{ password: { value: 'a\0b' } }, /^ldap\.password is empty or holds a NUL$/],
    [{ password: { fromFile: 'ldap' } }, /^the secret file ldap is not in/],
    [{ password: undefined }, /lacks ldap\.password/],
    [{ username: undefined, baseDn: undefined }, /lacks ldap\.username, ldap\.baseDn/],
    [{ server: 'ldap://host' }, /^ldap\.server is not a host and port/],
    [
      { baseDn: 'ou=nowhere,dc=example,dc=com' },
      /has no entry ldap\.baseDn, or ldap\.username may not see it \(noSuchObject, 32\)/,
    ],
    [{ baseDn: 'nonsense' }, /does not take ldap\.baseDn: it is no DN/],
    [{ userSearchFilter: '(&(uid=${username})mail=*)' }, /because of ldap\.userSearchFilter: it cannot be read/],
  ] as const;
  for (const [ldap, words] of cases) assert.match(await trouble({ ldap }), words);
  const groups = { manageRoles: true };
  assert.match(await trouble({ groups }), /lacks ldap\.groupDn/);
  assert.match(
    await trouble({ ldap: { groupDn: 'ou=nowhere,dc=example,dc=com' }, groups }),
    /has no entry ldap\.groupDn/,
  );
  assert.match(await trouble({ ldap: { groupDn: 'nonsense' }, groups }), /does not take ldap\.groupDn: it is no DN/);
});

real('leaves no connection behind and shows the password to nobody else', async () => {
  await quiet();
  const [opened, closed] = [/ ACCEPT /g, / closed/g].map((pattern) => slapd.log().match(pattern)?.length);
  assert.is(closed, opened);
  assert.not.match(slapd.log(), /pw-ann/);
  assert.not.match(slapd.log(), new RegExp(`conn=\\d+ op=1 BIND dn="${rootDn}"`));
});

real.run();
