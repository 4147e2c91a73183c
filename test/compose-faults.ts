import { parse } from 'yaml';

export interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly dockerfile_inline: string };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

/** What a linter of the format cannot know: its shape is dclint's to check, before this. */
export function readCompose(text: string): ComposeFile {
  const file: ComposeFile = parse(text, { merge: true });
  return file;
}

/** The names and values of an .env file. */
export function readEnv(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}

/** What Compose puts into a value, as the service then gets it. A variable that is not given is empty. */
export function interpolated(value: string, env: ReadonlyMap<string, string>): string {
  return value
    .replaceAll(VARIABLE, (_, name: string, other = '') => env.get(name) || other.replace(/^:[-?]/, ''))
    .replaceAll('$$', '$');
}

/** `${NAME}`, `${NAME:-default}` or `${NAME:?message}`; `$$` is a dollar for the shell. */
const VARIABLE = /(?<!\$)\$\{(\w+)(:[-?][^}]*)?\}/g;
const STRAY_DOLLAR = /(?<!\$)(?:\$\$)*\$(?![${])/;
const SECRET = /PASSWORD|PWD|SECRET|TOKEN|KEY/;
const PINNED = /^[\w./-]+:\d+\.\d+[\w.-]*$/;

/** Each reason not to run this file, one sentence; none when it is sound. */
export function faultsOf(text: string, env: string): string[] {
  const file = readCompose(text);
  return [
    ...Object.keys(file.services).flatMap((name) => faultsOfService(name, file)),
    ...faultsOfOrder(file),
    ...faultsOfVariables(text, readEnv(env)),
  ];
}

function faultsOfService(name: string, { services }: ComposeFile): string[] {
  const service = services[name] ?? {};
  const found: string[] = [];
  const ends = isOneShot(name, services);
  for (const image of imagesOf(service))
    if (!PINNED.test(image)) found.push(`${name}: ${image} is no full version.`);
  if (imagesOf(service).length === 0) found.push(`${name}: it has no image.`);
  if (ends && service.restart !== 'no') found.push(`${name}: a job that ends is not restarted.`);
  if (!ends && service.restart !== 'unless-stopped') found.push(`${name}: it does not come back.`);
  if (!ends && !service.healthcheck) found.push(`${name}: it has no health check.`);
  if (!service.security_opt?.includes('no-new-privileges:true'))
    found.push(`${name}: it may gain privileges.`);
  for (const port of service.ports ?? [])
    if (!port.startsWith('127.0.0.1:')) found.push(`${name}: port ${port} is open to other machines.`);
  for (const [variable, value] of Object.entries(service.environment ?? {})) {
    const literal = String(value).replaceAll(VARIABLE, (_, __, other = '') =>
      other.replace(/^:\?.*|^:-/, ''),
    );
    if (SECRET.test(variable) && literal !== '') found.push(`${name}: ${variable} is a secret written out.`);
  }
  for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
    const target = services[other];
    if (!target) found.push(`${name}: it waits for ${other}, which there is not.`);
    else if (condition !== (isOneShot(other, services) ? ENDED : 'service_healthy'))
      found.push(`${name}: it does not wait until ${other} is ready.`);
  }
  return found;
}

const ENDED = 'service_completed_successfully';

function isOneShot(name: string, services: ComposeFile['services']): boolean {
  return Object.values(services).some((service) => service.depends_on?.[name]?.condition === ENDED);
}

/** The images that a service runs or is built from. */
export function imagesOf({ image, build }: ComposeService): string[] {
  const bases = build ? [...build.dockerfile_inline.matchAll(/^FROM (\S+)/gm)] : [];
  return [...(image ? [image] : []), ...bases.map(([, base = '']) => base)];
}

function faultsOfOrder(file: ComposeFile): string[] {
  const never = Object.keys(file.services).filter((name) => !startWaves(file).flat().includes(name));
  return never.length > 0 ? [`${never.join(', ')}: waiting for each other.`] : [];
}

/** What starts together, wave after wave. What waits for itself is in none. */
export function startWaves({ services }: ComposeFile): string[][] {
  const waves: string[][] = [];
  for (;;) {
    const started = waves.flat();
    const next = Object.keys(services).filter(
      (name) =>
        !started.includes(name) &&
        Object.keys(services[name]?.depends_on ?? {}).every((other) => started.includes(other)),
    );
    if (next.length === 0) return waves;
    waves.push(next);
  }
}

function faultsOfVariables(text: string, env: ReadonlyMap<string, string>): string[] {
  const code = text.replaceAll(/^\s*#.*$/gm, '');
  const used = new Set([...code.matchAll(VARIABLE)].map(([, name = '']) => name));
  const stray = code.split('\n').filter((line) => STRAY_DOLLAR.test(line));
  return [
    ...stray.map((line) => `${line.trim()}: Compose would take the dollar; write $$.`),
    ...[...used].filter((name) => !env.has(name)).map((name) => `${name}: not in .env.example.`),
    ...[...env.keys()].filter((name) => !used.has(name)).map((name) => `${name}: nothing uses it.`),
    ...[...env]
      .filter(([name, value]) => SECRET.test(name) && value !== '')
      .map(([name]) => `${name}: a copy of .env.example would work unchanged.`),
  ];
}
