// A real browser that visits our pages, and notes all that it finds wrong with them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { eventually, patienceMs } from '../support/until.ts';

/** Somebody at a browser of their own. */
export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained of: errors of scripts, what the policy refused, requests that left our server. Must stay empty. */
  readonly complaints: string[];
  /** Waits until the page says something, where screen readers hear it: `alert` for what went wrong, `status` for what went well. */
  told(role: 'alert' | 'status', words: RegExp): Promise<void>;
  /** Waits until something has the focus, which is told by its id, and by its words where it has none. */
  focuses(wanted: string): Promise<void>;
  /** Fails where axe-core finds anything against WCAG or good practice, light or dark, or the page is wider than a small screen. */
  isAccessible(): Promise<void>;
}

/** Starts a browser without a window. */
export function startBrowser(executablePath: string): Promise<Browser> {
  // Chromium refuses to run as root inside its sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args, timeout: 120_000 });
}

/** A new visitor, without cookies, of the server at `base`. */
export async function visit(browser: Browser, base: string): Promise<Visitor> {
  const context = await browser.newContext({ baseURL: base, locale: 'en-GB' });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  note(page, new URL(base).origin, complaints);
  await page.addInitScript(`addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    console.error('refused by the policy:', violatedDirective, blockedURI));`);
  return {
    page,
    context,
    complaints,
    told: (role, words) => page.locator(`[role=${role}] p:visible`, { hasText: words }).waitFor(),
    focuses: (wanted) =>
      eventually(async () =>
        assert.is(await page.evaluate('document.activeElement.id || document.activeElement.textContent'), wanted),
      ),
    isAccessible: () => isAccessible(page),
  };
}

function note(page: Page, origin: string, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // That an answer was not 200 is part of what the page handles.
    const isAnswer = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    if (['error', 'warning'].includes(message.type()) && !isAnswer) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== 'data:') complaints.push(`asked ${url.origin}`);
  });
}

/** Opens the page of the account; at the server of the visitor, unless an origin is given. */
export async function openAccount(page: Page, origin = ''): Promise<void> {
  await page.goto(`${origin}/account/settings`);
  await atAccount(page);
}

/**
 * Waits until the browser has come to the page of the account, and that shows all that it asks for after it has loaded. What it still asks for when the
 * session ends has it leave for the sign-in page, and that breaks off (`net::ERR_ABORTED`) whatever else the browser is on its way to. `below` is the path at which a proxy serves the platform.
 */
export async function atAccount(page: Page, below = ''): Promise<void> {
  await page.waitForURL(({ pathname }) => pathname === `${below}/account/settings`);
  for (const list of ['tokens', 'sessions', 'invitations'])
    await page.locator(`#${list}, #no-${list}`).filter({ visible: true }).waitFor();
}

/** Opens the page of the account without a session, and waits until the browser has come to the page where people sign in. */
export async function openAccountSignedOut(page: Page, below = ''): Promise<void> {
  await page.goto(`${below}/account/settings`);
  await page.waitForURL(/\/account\/login/);
}

async function isAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe);
    const { violations } = (await page.evaluate('axe.run()')) as { violations: readonly AxeViolation[] };
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    assert.equal(found, [], `${colorScheme} ${page.url()}`);
  }
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  await eventually(async () =>
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 320, `${page.url()} is too wide`),
  );
  if (size) await page.setViewportSize(size);
}

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
