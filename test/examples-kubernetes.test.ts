// timeout: 400
// The manifests for a cluster: of the shapes that Kubernetes has, in agreement with each other, and with flags, paths and probes that Weir really has.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts';
import type { Container, PersistentVolumeClaim, PodSpec, Service } from 'kubernetes-types/core/v1.d.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { freePort } from './support/free-port.ts';
import { gitSync } from './support/git-sync.ts';
import { mountVolume } from './support/kubelet.ts';
import { runCommand, startCommand } from './support/run-command.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { until } from './support/until.ts';
import { launcher, plainEnvironment, weir } from './support/weir.ts';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'examples/kubernetes');
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
const variants = ['configmap.yaml', 'git-sync.yaml'] as const;

type Manifest = Deployment | PersistentVolumeClaim | Service;

function documentsIn(file: string, version: '1.1' | '1.2' = '1.2'): readonly Manifest[] {
  return parseAllDocuments(readFileSync(join(folder, file), 'utf8'), { version }).map((document) => {
    assert.equal(document.errors, [], file);
    return document.toJS();
  });
}

function deploymentIn(file: string): {
  readonly deployment: Deployment;
  readonly pod: PodSpec;
  readonly container: Container;
} {
  const deployment = documentsIn(file).find((one): one is Deployment => one.kind === 'Deployment');
  const pod = deployment?.spec?.template.spec;
  const container = pod?.containers.find(({ name }) => name === 'weir');
  if (!deployment || !pod || !container) throw new Error(`${file} has no Deployment with a container "weir"`);
  return { deployment, pod, container };
}

const manifests = suite('the manifests for a cluster');

manifests('are read alike by YAML 1.1, which kubectl takes, and 1.2', () => {
  for (const file of files) assert.equal(documentsIn(file, '1.1'), documentsIn(file), file);
});

/** What the compiler says of manifests as literals of the types that are made from the API of Kubernetes. */
async function judged(documents: readonly Manifest[]): Promise<string> {
  const { path, remove } = temporaryFolder();
  const groups: Readonly<Record<string, string>> = { v1: 'core/v1', 'apps/v1': 'apps/v1' };
  const lines = documents.map((document, nth) => {
    const types = join(root, 'node_modules/kubernetes-types', `${groups[String(document.apiVersion)]}.d.ts`);
    return `export const m${nth}: import(${JSON.stringify(types)}).${document.kind} = ${JSON.stringify(document)};\n`;
  });
  writeFileSync(join(path, 'manifests.ts'), lines.join(''));
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--types', '', '--module', 'nodenext', 'manifests.ts'];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, stderr } = await runCommand(process.execPath, [compiler, ...flags], {
    cwd: path,
  });
  await remove();
  return stdout + stderr;
}

manifests('have the shapes of the API of Kubernetes; a field that it does not know is found', async () => {
  const all = files.flatMap((file) => documentsIn(file));
  assert.ok(all.length >= 4);
  assert.is(await judged(all), '');
  const wrong = structuredClone(deploymentIn('configmap.yaml').deployment);
  Object.assign(wrong.spec?.template.spec?.containers[0] ?? {}, { readynessProbe: {} });
  assert.match(await judged([wrong]), /readynessProbe\S* does not exist in type 'Container'/);
});

manifests('agree with each other: labels, ports, volumes, claims', () => {
  const common = documentsIn('common.yaml');
  const service = common.find((one): one is Service => one.kind === 'Service');
  const claim = common.find(({ kind }) => kind === 'PersistentVolumeClaim');
  for (const file of variants) {
    const { deployment, pod, container } = deploymentIn(file);
    const labels = deployment.spec?.template.metadata?.labels;
    assert.equal(deployment.spec?.selector.matchLabels, labels);
    assert.equal(service?.spec?.selector, labels);
    const ports = container.ports?.map(({ name }) => name);
    assert.equal(
      ports,
      service?.spec?.ports?.map(({ targetPort }) => targetPort),
    );
    const volumes = pod.volumes?.map(({ name }) => name) ?? [];
    const mounts = [...(pod.initContainers ?? []), ...pod.containers].flatMap(({ volumeMounts = [] }) => volumeMounts);
    assert.equal([...new Set(mounts.map(({ name }) => name))].sort(), [...volumes].sort(), file);
    assert.equal(
      mounts.filter(({ subPath }) => subPath !== undefined),
      [],
    );
    const claims = pod.volumes?.flatMap(({ persistentVolumeClaim: one }) => one?.claimName ?? []);
    assert.equal(claims, [claim?.metadata?.name]);
    const git = mounts.filter(({ name }) => name === 'git').map(({ mountPath }) => mountPath);
    assert.ok(new Set(git).size <= 1, 'a checkout names its repository by its path');
  }
});

manifests('run one process for a store, which may do as little as possible', () => {
  for (const file of variants) {
    const { deployment, pod } = deploymentIn(file);
    assert.is(deployment.spec?.replicas, 1);
    assert.is(deployment.spec?.strategy?.type, 'Recreate');
    assert.ok(Number(pod.terminationGracePeriodSeconds) > 10);
    assert.is(pod.enableServiceLinks, false);
    assert.is(pod.automountServiceAccountToken, false);
    assert.is(pod.securityContext?.runAsNonRoot, true);
    for (const { name, securityContext, resources } of [...(pod.initContainers ?? []), ...pod.containers]) {
      assert.is(securityContext?.readOnlyRootFilesystem, true, name);
      assert.is(securityContext?.allowPrivilegeEscalation, false, name);
      assert.equal(securityContext?.capabilities, { drop: ['ALL'] }, name);
      assert.ok(resources?.limits?.memory, name);
    }
  }
});

manifests('keep from Weir what Kubernetes would set for a Service of its name', async () => {
  const { path, remove } = temporaryFolder();
  const { code, stderr } = await weir(path, ['serve'], { env: { WEIR_PORT: 'tcp://10.0.0.1:80' } });
  assert.is(code, 64);
  assert.match(stderr, 'WEIR_PORT');
  await remove();
});

manifests('name an image of this version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8');
  assert.match(dockerfile, `COPY weir-${version}.tgz `);
  const image = `registry.example.com/weir:${version}`;
  for (const file of variants) assert.is(deploymentIn(file).container.image, image);
  for (const text of [dockerfile, readFileSync(join(folder, 'README.md'), 'utf8')]) assert.match(text, `-t ${image} .`);
});

manifests.run();

const running = suite('a container of the manifests');

/** Lays out what the cluster would mount at the paths of the manifest, below a folder. */
async function mount(at: string, file: (typeof variants)[number], { volumeMounts = [] }: Container): Promise<void> {
  const tree = join(root, 'examples/kubernetes-values');
  const keys = Object.fromEntries(readdirSync(tree).map((name) => [name, readFileSync(join(tree, name), 'utf8')]));
  for (const { name, mountPath } of volumeMounts) {
    const path = join(at, mountPath);
    mkdirSync(dirname(path), { recursive: true });
    if (name === 'tree') mountVolume(path, keys);
    else if (name === 'secrets')
      mountVolume(path, { 'smtp-password': 'p', npmrc: '//registry.example.com/:_authToken=t' });
    else if (name !== 'git') mkdirSync(path, { recursive: true });
  }
  const inRepository = Object.entries(keys).map(([name, content]) => [`config/${name}`, content] as const);
  if (file === 'git-sync.yaml') await gitSync(at, Object.fromEntries(inRepository));
}

for (const file of variants)
  running(`starts as ${file} says, is ready by its probes, and stops in time`, async () => {
    const { path, remove } = temporaryFolder();
    const { container, pod } = deploymentIn(file);
    await mount(path, file, container);
    const [verb, ...flags] = (container.args ?? []).map((arg) => (arg.startsWith('/') ? join(path, arg) : arg));
    assert.is(verb, 'serve');
    assert.ok(flags.includes('0.0.0.0'), 'it listens where the cluster can reach it');
    const set =
      container.env?.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])) ?? [];
    const port = await freePort();
    const words = flags.map((flag) => (flag === '0.0.0.0' ? '127.0.0.1' : flag));
    const server = startCommand(process.execPath, [launcher, 'serve', ...words, '--port', String(port)], {
      cwd: path,
      env: {
        ...plainEnvironment(),
        ...Object.fromEntries(set),
        HOME: path,
        WEIR_ADMIN_PASSWORD: 'correct horse battery',
      },
    });
    await until(() => /Weir serves /.exec(server.output().stdout)?.[0], { program: server });
    assert.match(server.output().stdout, 'https://flows.example.com');
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      assert.is(probe?.httpGet?.port, container.ports?.[0]?.name);
      assert.is((await fetch(`http://127.0.0.1:${port}${probe?.httpGet?.path}`)).status, 200);
    }
    const begun = performance.now();
    server.child.kill('SIGTERM');
    const { code, stderr } = await server.ended;
    assert.is(code, 0, stderr);
    assert.ok(performance.now() - begun < Number(pod.terminationGracePeriodSeconds) * 1000);
    assert.not.match(stderr, 'secret-missing');
    const {
      container: { ports },
    } = deploymentIn(file);
    const help = await weir(path, ['serve', '--help']);
    assert.match(help.stdout, String(ports?.[0]?.containerPort), 'the port that serve takes unless told otherwise');
    const status = await weir(path, ['status', '--store', join(path, 'var/lib/weir/store'), '--output', 'json']);
    assert.is(JSON.parse(status.stdout).commit !== undefined, file === 'git-sync.yaml', 'Git is asked for the commit');
    await remove();
  });

running.run();
