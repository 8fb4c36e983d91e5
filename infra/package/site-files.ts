// The files of a site's containers, made from those of this repository: one text for both, so that they differ in nothing
// but the build. site-files-cli.ts writes them.

/** Where the final stages begin in both Dockerfiles. */
const SERVICES_MARK = '# ---- the services -'

const COMPOSE_HEAD = `# The whole site: \`docker compose up --build\`, then http://localhost:8080.
# One replica of each service; images is scaled separately: \`--scale images=3\`.
# The file .env may hold PORT and other settings. Another site on this machine needs another PORT and another folder name.
# \`portico containers --check\` reports whether this file is that of the installed version of Portico.

`
const COMPOSE_BUILD = `x-build: &build
  context: .
`

/** By path: the new text of the file, from its text and those of this repository. */
export const SITE_FILES: Readonly<Record<string, (own: string, repository: RepositoryFiles) => string>> = {
  'web/build/create/starter/docker-compose.yml': (_own, { compose }) => siteCompose(compose),
  'web/build/create/starter/Dockerfile': (own, { dockerfile }) => siteDockerfile(own, dockerfile),
  'web/build/create/starter/docker-bake.hcl': (_own, { bake }) => siteBake(bake),
}

interface RepositoryFiles {
  compose: string
  dockerfile: string
  bake: string
}

export const REPOSITORY_FILES: Readonly<Record<keyof RepositoryFiles, string>> = {
  compose: 'docker-compose.yml',
  dockerfile: 'docker/Dockerfile',
  bake: 'docker/docker-bake.hcl',
}

/** No name: the project has that of the site's folder. The build context is the folder, with the site's own Dockerfile. */
function siteCompose(compose: string): string {
  return replaceOnce(
    replaceOnce(compose, /^(?:#.*\n|\n)*name: portico\n\n/, COMPOSE_HEAD),
    /^x-build: &build\n(?: .*\n)+?(?= {2}args:)/m,
    COMPOSE_BUILD,
  )
}

/** Keeps the build of the site's Dockerfile. */
function siteDockerfile(own: string, dockerfile: string): string {
  return own.slice(0, markIn(own)) + dockerfile.slice(markIn(dockerfile))
}

/** The build context is the site's folder. */
function siteBake(bake: string): string {
  const changes: [RegExp, string][] = [
    [/ -f docker\/docker-bake\.hcl/, ' -f docker-bake.hcl'],
    [/^# For infra\/.*\n/m, ''],
    [/^variable "APP_DIR".*\n/m, ''],
    [/^ {2}dockerfile = .*\n {2}contexts .*\n/m, ''],
  ]
  return changes.reduce((text, [pattern, replacement]) => replaceOnce(text, pattern, replacement), bake)
}

function markIn(text: string): number {
  const at = text.indexOf(SERVICES_MARK)
  if (at === -1) throw new Error(`"${SERVICES_MARK}" must be in both Dockerfiles`)
  return at
}

function replaceOnce(text: string, pattern: RegExp, replacement: string): string {
  if (!pattern.test(text)) throw new Error(`${pattern} must match a text of this repository`)
  return text.replace(pattern, () => replacement)
}
