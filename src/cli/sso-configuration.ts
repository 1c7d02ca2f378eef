// The single sign-on configuration that a command is about, in the store as it was last durable.
import type { DeclaredResource } from '../core/model/resource.ts';
import type { View } from '../core/model/view.ts';
import { Declined } from '../core/proposals/declined.ts';
import type { Options } from '../options.ts';
import type { Io } from './io.ts';
import { openStoreAt } from './workbench.ts';

/** Hands the state to `work`. Takes no lock: it may be done beside a server. Throws `StoreUnavailable`. */
export async function withView<T>(options: Options, io: Io, work: (view: View) => Promise<T> | T): Promise<T> {
  const store = await openStoreAt(options, io, { create: false, readOnly: true });
  try {
    return await work(store.read());
  } finally {
    await store.close();
  }
}

/** The configuration of a name. Declines (`not_found`) where there is none. */
export function configurationCalled(view: View, name: string): DeclaredResource<'SsoConfig'> {
  const config = view.named('SsoConfig', name);
  if (config) return config;
  const names = [...view.all('SsoConfig')].map((one) => one.name);
  const there = names.length === 0 ? 'this store has none' : `there is ${names.slice(0, 10).join(', ')}`;
  throw new Declined('not_found', `there is no single sign-on configuration ${JSON.stringify(name)}: ${there}`);
}
