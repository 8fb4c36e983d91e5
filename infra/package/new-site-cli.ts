// `npm run new ../mysite`: creates a site as `create-portico` does, with the packages of the current sources.

import { join } from 'node:path'
import { runCreateCommand } from '@portico/build/create/create.ts'
import { root } from '../checks/sources.ts'
import { currentPackages } from './current-packages.ts'

await runCreateCommand({
  program: 'npm run new',
  help: 'npm run new -- --help',
  example: '../mysite',
  outsideOf: root,
  async provide() {
    const { portico, createFolder } = await currentPackages()
    return { template: join(createFolder, 'template'), tarball: portico }
  },
})
