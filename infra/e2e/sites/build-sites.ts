// Builds the sites of the suite, if a source has changed, before the first file of a project that serves them. Copies of
// a site take its build with them (`copyApp`).

import { buildIfNeeded } from '@portico/stack/build-if-needed.ts'
import { root } from '../../checks/sources.ts'
import { isPackage } from '../harness/framework.ts'
import { buildApp } from '../harness/replicas.ts'
import { ATLAS, FIXTURE, type SiteDescription } from './sites.ts'

export default async function buildSites(): Promise<void> {
  await Promise.all([ATLAS, FIXTURE].map(buildSite))
}

/** For a file whose project builds nothing. */
export function buildSite({ appDir }: SiteDescription): Promise<void> {
  if (isPackage) return buildApp(appDir)
  return buildIfNeeded({ root, appDir, environment: process.env, say: console.log })
}
