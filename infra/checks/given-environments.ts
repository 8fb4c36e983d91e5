// Reads which variables the files of orchestrators give to which process (W5, F3).

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { type Container, type KubernetesObject, readCompose } from './manifests.ts'
import { root } from './sources.ts'

/** The variables of one process in one file. */
export interface GivenEnvironment {
  file: string
  process: string
  names: readonly string[]
  /** Whether files or secrets with variables of the site are added. */
  hasSiteFiles: boolean
}

/** The environment of every process of a compose file or stack file, with what its command reads from secrets. */
export function readComposeEnvironments(file: string): GivenEnvironment[] {
  return Object.entries(readCompose(file).services).map(([process, service]) => {
    const { environment = {}, env_file = [], command = [] } = service
    if (Array.isArray(environment)) throw new Error(`${file}: ${process}: write the environment as a map`)
    const script = [command].flat().join(' ')
    const ofSecrets = [...script.matchAll(/([A-Z_]+)="\$\$\(cat /g)].map(([, name = '']) => name)
    const names = [...Object.keys(environment), ...ofSecrets]
    return { file, process, names, hasSiteFiles: env_file.length > 0 }
  })
}

/** The environment of every container of the manifests, patches of components included. */
export function readManifestEnvironments(): GivenEnvironment[] {
  return globSync('infra/kubernetes/**/*.yaml', { cwd: root }).flatMap((file) =>
    parseAllDocuments(readFileSync(join(root, file), 'utf8'))
      .map((document) => document.toJS() as Partial<KubernetesObject> | null)
      .flatMap((object) => {
        const pod = object?.spec?.template?.spec
        return [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])].map((each) => ofContainer(file, each))
      }),
  )
}

function ofContainer(file: string, { name, env = [], envFrom = [] }: Container): GivenEnvironment {
  // All keys of a map are given, those of other services too.
  const maps = envFrom.flatMap(({ configMapRef }) => (configMapRef ? [`all of ${configMapRef.name}`] : []))
  return {
    file,
    process: name,
    names: [...env.map((each) => each.name), ...maps],
    hasSiteFiles: envFrom.some(({ secretRef }) => secretRef),
  }
}

/** The environment of the images of services in a Dockerfile: the variables of each stage and of those that it begins with. */
export function readImageEnvironments(file: string, services: readonly string[]): GivenEnvironment[] {
  const stages = new Map<string, { from: string; names: string[] }>()
  let stage: { from: string; names: string[] } = { from: '', names: [] }
  for (const line of readFileSync(join(root, file), 'utf8').replaceAll(/\\\n/g, ' ').split('\n')) {
    const [, from, name] = /^FROM (\S+) AS (\S+)/.exec(line) ?? []
    if (from && name) {
      stage = { from, names: [] }
      stages.set(name, stage)
    }
    if (line.startsWith('ENV ')) stage.names.push(...[...line.matchAll(/ (\w+)=/g)].map(([, each = '']) => each))
  }
  const namesOf = (name: string): string[] => {
    const found = stages.get(name)
    return found ? [...namesOf(found.from), ...found.names] : []
  }
  return services.map((process) => ({ file, process, names: namesOf(process), hasSiteFiles: false }))
}
