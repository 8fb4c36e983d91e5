// Compares objects of Kubernetes with the types of the package kubernetes-types.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubernetesObject } from '../manifests.ts'
import { root } from '../sources.ts'

/** API groups that the package has no types for: those of operators and of the Gateway API. */
const CUSTOM = /^(gateway\.networking\.k8s\.io|monitoring\.coreos\.com|traefik\.io)\//

/** Whether an object is of a kind that an operator adds to the cluster. */
export function isCustom({ apiVersion }: KubernetesObject): boolean {
  return CUSTOM.test(apiVersion)
}

/** The faults that tsc reports when each object is written as a literal of its type. */
export function typeFaults(objects: readonly KubernetesObject[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-kubernetes-'))
  try {
    const lines = objects.map((object, index) => {
      const [group = '', version = group] = object.apiVersion.replace(/\.k8s\.io|\.authorization/, '').split('/')
      const module = object.apiVersion.includes('/') ? `${group}/${version}` : `core/${group}`
      return `export const object${index}: import('kubernetes-types/${module}').${object.kind} = ${JSON.stringify(object)}`
    })
    writeFileSync(join(folder, 'objects.ts'), lines.join('\n'))
    const compilerOptions = {
      strict: true,
      noEmit: true,
      types: [],
      module: 'esnext',
      moduleResolution: 'bundler',
      paths: { 'kubernetes-types/*': [join(root, 'node_modules/kubernetes-types/*')] },
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['objects.ts'] }))
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
    })
    return stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}
