// The virtual modules that the entries of the three bundles import: the pages, actions and settings of the app folder.

import { join } from 'node:path'
import type { Plugin } from 'vite'
import type { ImageSettings } from '../../../services/shared/wire/build-output.ts'
import type { AppFolder } from '../folder/app-folder.ts'
import type { ActionExport } from '../transforms/use-server.ts'

export interface VirtualModuleSources {
  folder: () => AppFolder
  actions: () => ActionExport[]
  images: () => ImageSettings
}

export const VIRTUAL_MODULES = {
  serverPages: 'virtual:portico/server-pages',
  browserApp: 'virtual:portico/browser-app',
  actions: 'virtual:portico/actions',
} as const

export function virtualModules({ folder, actions, images }: VirtualModuleSources): Plugin {
  const writers: Record<string, () => string> = {
    [VIRTUAL_MODULES.serverPages]: () => serverPages(folder(), images()),
    [VIRTUAL_MODULES.browserApp]: () => `${appLine(folder())}\n${imagesLine(images())}`,
    [VIRTUAL_MODULES.actions]: () => actionsModule(folder(), actions()),
  }
  return {
    name: 'portico:virtual-modules',
    resolveId: (id) => (id in writers ? `\0${id}` : undefined),
    load: (id) => (id.startsWith('\0') ? writers[id.slice(1)]?.() : undefined),
  }
}

function serverPages(folder: AppFolder, images: ImageSettings): string {
  const pages = [...folder.pages, ...folder.screens].map(
    ({ pattern, file }) => `  ${JSON.stringify(pattern)}: () => import(${path(folder, file)}),`,
  )
  const document = folder.document
    ? `export { default as Document } from ${path(folder, folder.document)}`
    : 'export const Document = undefined'
  return `${appLine(folder)}\n${document}\n${imagesLine(images)}\nexport const pages = {\n${pages.join('\n')}\n}\n`
}

function appLine(folder: AppFolder): string {
  return folder.app ? `export { default as App } from ${path(folder, folder.app)}` : 'export const App = undefined'
}

function imagesLine({ deviceSizes, imageSizes, qualities }: ImageSettings): string {
  return `export const images = ${JSON.stringify({ deviceSizes, imageSizes, qualities })}`
}

function actionsModule(folder: AppFolder, actions: ActionExport[]): string {
  const entries = actions.map(
    ({ id, file, name }) =>
      `  ${JSON.stringify(id)}: { name: ${JSON.stringify(`${file}#${name}`)}, load: () => import(${path(folder, file)}).then((module) => module[${JSON.stringify(name)}]) },`,
  )
  const routes = folder.apiRoutes.map(
    ({ pattern, file }) => `  ${JSON.stringify(pattern)}: () => import(${path(folder, file)}),`,
  )
  return `export const actions = {\n${entries.join('\n')}\n}\nexport const apiRoutes = {\n${routes.join('\n')}\n}\n`
}

function path(folder: AppFolder, file: string): string {
  return JSON.stringify(join(folder.dir, file))
}
