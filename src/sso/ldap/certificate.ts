// The certificate that a directory shows, looked at without saying anything to it.
import type { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { printable } from '../../core/model/printable.ts';
import type { Check } from '../provider.ts';
import { connect, type Route } from './connect.ts';
import { certificateWords, wordsOf } from './words.ts';

/** Connects as a sign-in does, and says what is shown there and whether it is trusted. `now` in milliseconds since 1970. */
export async function checkConnection(route: Omit<Route, 'signal'>, now: number): Promise<readonly Check[]> {
  const { directory, limits } = route;
  const anyCertificate = { ...directory, tls: { ...directory.tls, verifyServerCertificate: false } };
  const signal = new AbortController().signal;
  try {
    const socket = await connect({ ...route, directory: anyCertificate, signal });
    const secured = tlsCheck(route, socket, now);
    socket.destroy();
    return [{ name: 'connection', ok: true, detail: `${directory.address} answers` }, secured];
  } catch (error) {
    const detail = wordsOf(error, { address: directory.address, ...limits });
    return [{ name: 'connection', ok: false, detail }];
  }
}

function tlsCheck({ directory: { tls } }: Omit<Route, 'signal'>, socket: unknown, now: number): Check {
  if (!(socket instanceof TLSSocket))
    return { name: 'encryption', ok: true, detail: `ldap.tls.mode is none: ${inClear}` };
  const shown = socket.getPeerX509Certificate();
  if (!shown) return { name: 'certificate', ok: false, detail: 'the directory shows no certificate' };
  const problem = socket.authorizationError;
  const words = problem ? `; it is not trusted: ${certificateWords(String(problem))}` : '; it is trusted';
  const ignored = problem && !tls.verifyServerCertificate ? `. ${notVerified}` : '';
  const detail = `${namesOf(shown, now)}${words}${ignored}`;
  return { name: 'certificate', ok: !problem || !tls.verifyServerCertificate, detail };
}

function namesOf(certificate: X509Certificate, now: number): string {
  const { subject, issuer, subjectAltName, validToDate } = certificate;
  const days = Math.floor((validToDate.getTime() - now) / 86_400_000);
  const end = days < 0 ? 'ended' : days < soonDays ? `ends in ${days} days: renew it soon,` : 'ends';
  return `issued to ${nameIn(subject)} (${nameIn(subjectAltName ?? 'no names')}) by ${nameIn(issuer)}, ${end} ${validToDate.toISOString().slice(0, 10)}`;
}

function nameIn(text: string | undefined): string {
  const line = (text ?? 'nobody').trim().replaceAll('\n', ', ');
  return printable(line.length > 300 ? `${line.slice(0, 300)}…` : line);
}

const soonDays = 30;

const inClear =
  'passwords cross the network in clear, and anybody in between can answer for the directory; set it to ldaps or startTls';

const notVerified =
  'ldap.tls.verifyServerCertificate is false, so it is taken nevertheless, and anybody in between can answer for the directory';
