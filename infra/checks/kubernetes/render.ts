// The objects that kubectl makes of infra/kubernetes: kubectl contains kustomize, and needs no cluster for that.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { KubernetesObject } from '../manifests.ts'
import { root } from '../sources.ts'

/** The folder of the base, the overlays and the components. */
export const KUSTOMIZE = join(root, 'infra/kubernetes')

/** Whether the tests may use kubectl. A missing kubectl is a failure if PORTICO_TEST_REQUIRE names it. */
export function hasKubectl(): boolean {
  const isHere = spawnSync('kubectl', ['version', '--client']).status === 0
  if (!isHere && process.env.PORTICO_TEST_REQUIRE?.includes('kubectl'))
    throw new Error('PORTICO_TEST_REQUIRE names kubectl, and there is none here')
  return isHere
}

/** The objects of an overlay, as `overlays/local`. */
export function renderOverlay(name: string): KubernetesObject[] {
  return kustomize(join(KUSTOMIZE, name))
}

/** The objects of an overlay of the given components alone, with the settings in which the overlay differs. */
export function renderComponents(components: readonly string[], settings: readonly string[] = []): KubernetesObject[] {
  const folder = mkdtempSync(join(tmpdir(), 'portico-overlay-'))
  try {
    const at = (name: string) => relative(folder, join(KUSTOMIZE, name))
    const overlay = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      namespace: 'portico',
      resources: [at('base')],
      components: components.map((name) => at(`components/${name}`)),
      configMapGenerator: [
        { name: 'portico-settings', behavior: 'merge', literals: settings },
        { name: 'portico-database', literals: ['DATABASE_URL=postgres://site@postgres:5432/site'] },
      ],
    }
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(overlay))
    return kustomize(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function kustomize(folder: string): KubernetesObject[] {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  // Words about fields that are out of date are faults, too.
  if (status !== 0 || stderr !== '') throw new Error(`kubectl kustomize ${folder}: ${stderr}`)
  return parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject)
}

/**
 * The faults of a client dry run: kubectl decodes each object into its own types, quantities included. Other commands of
 * kubectl need a cluster even for that; `set image --local` does not, and complains of objects that have no image.
 */
export function decodeFaults(objects: readonly KubernetesObject[]): string[] {
  const { stdout, stderr } = spawnSync(
    'kubectl',
    ['set', 'image', '--local', '--dry-run=client', '--output=name', '--filename=-', '*=image'],
    { input: objects.map((object) => JSON.stringify(object)).join('\n'), encoding: 'utf8' },
  )
  const lines = `${stdout}\n${stderr}`.split('\n')
  const decoded = lines.filter((line) =>
    /^\S+\/\S+$|the object is not a pod or does not have a pod template/.test(line),
  )
  const faults = lines.filter((line) => line.includes('unable to decode'))
  return decoded.length + faults.length === objects.length
    ? faults
    : [`${decoded.length} of ${objects.length} decoded`, stderr]
}
