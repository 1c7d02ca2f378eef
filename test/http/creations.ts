// What each route that makes something takes in the populated world, and what differs from it: by the id of the operation.

/** What each route that makes something takes here, and what differs from it. */
export const creations: Readonly<Record<string, readonly [body: object | undefined, other?: object]>> = {
  createStack: [
    { name: 'x', spec: { runtime: '1' } },
    { name: 'x', spec: { runtime: '2' } },
  ],
  createInstanceType: [
    { name: 'x', spec: { stacks: ['nr-4'] } },
    { name: 'y', spec: { stacks: ['nr-4'] } },
  ],
  createTeamType: [
    { name: 'x', spec: {} },
    { name: 'x', spec: { order: 2 } },
  ],
  createTemplate: [
    { name: 'x', spec: {} },
    { name: 'x', spec: { description: 'another' } },
  ],
  createSsoConfig: [
    { name: 'x', spec: { emailDomain: 'x.example', provider: 'ldap' } },
    { name: 'x', spec: { emailDomain: 'y.example', provider: 'ldap' } },
  ],
  createInstance: [
    { name: 'Line', instanceType: 'small', template: 'plain' },
    { name: 'Line 2', instanceType: 'small', template: 'plain' },
  ],
  createDevice: [{ name: 'Gateway' }, { name: 'Gateway', mode: 'developer' }],
  createDeviceGroup: [{ name: 'Hall' }, { name: 'Yard' }],
  createHttpToken: [{ name: 'x' }, { name: 'y' }],
  createProvisioningToken: [{ name: 'x' }, { name: 'y' }],
  createSnapshot: [{ name: 'x' }, { name: 'y' }],
  createStatisticsToken: [undefined],
  createOwnToken: [{ name: 'x' }, { name: 'x', scope: 'plan' }],
  createUser: [
    { username: 'x', email: 'x@example.net', password: 'correct horse battery' },
    { username: 'x', email: 'x@example.net', password: 'battery horse correct' },
  ],
  createTeam: [
    { name: 'X', type: 'starter' },
    { name: 'X', type: 'large' },
  ],
  invite: [
    { user: 'max', role: 'viewer' },
    { user: 'max', role: 'owner' },
  ],
};
