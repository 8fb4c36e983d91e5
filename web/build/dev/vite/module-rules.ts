// The rules for one module of a site under development: a page, handler or module of actions that a build refuses fails when
// it is loaded, with the error of the build, and all others work.

import { isApiPath } from '@portico/shared/wire/routing/urls.ts'
import type { Plugin } from 'vite'
import { kindsOfSources } from '../../adapter/active-adapter.ts'
import { throwFault } from '../../build-error.ts'
import type { BundleSources } from '../../bundles/bundle-sources.ts'
import { isSiteModule } from '../../bundles/server-modules.ts'
import { checkRoute, hasUseServer } from '../../folder/app-folder.ts'
import { namesOfModule } from '../../folder/common-js-names.ts'
import { parseModule } from '../../folder/module-syntax.ts'
import { appRelative, isMarkdown, withoutQuery } from '../../folder/source-paths.ts'
import { kindOf } from '../../manifest/route-files.ts'
import { readActionExports } from '../../transforms/use-server.ts'

/** Before every plugin that changes modules. */
export function moduleRules(appDir: string, sources: () => BundleSources): Plugin {
  return {
    name: 'portico:module-rules',
    enforce: 'pre',
    async transform(code, id) {
      const path = withoutQuery(id)
      const file = appRelative(appDir, path)
      if (id.startsWith('\0') || file.startsWith('..') || !isSiteModule(path) || isMarkdown(path)) return
      if (hasUseServer(code, file)) readActionExports(code, file)
      const { folder, next } = sources()
      const routes = [...folder.pages, ...folder.screens, ...folder.apiRoutes]
      const route = routes.find((each) => each.file === file)
      if (!route) return
      checkRoute({ ...route, code, rules: next }, throwFault)
      const body = isApiPath(route.pattern) ? [] : parseModule(code, path)
      // The bundler reports a module that cannot be parsed; an editor may be about to write one that is empty.
      if (body.length === 0) return
      const kindOfRoute = await kindsOfSources({ folder, next }, [route])
      kindOfRoute(
        route,
        kindOf(file, namesOfModule(body), () => code),
      )
    },
  }
}
