// The plugins of sites of Next.js, in their order: those that read or replace JSX are before those that need other names.

import { browserModules } from './browser-modules/browser-modules.ts'
import { codeEnv } from './code-env/code-env.ts'
import { fonts } from './fonts/fonts.ts'
import { jsxSource } from './jsx-source/jsx-source.ts'
import { linkAnchors } from './link-anchors/link-anchors.ts'
import { loaders } from './loaders/loaders.ts'
import { mdx } from './mdx/mdx.ts'
import { moduleNames } from './module-names/module-names.ts'
import type { NextPlugin } from './next-plugin.ts'
import { og } from './og/og.ts'
import { pathAliases } from './path-aliases/path-aliases.ts'
import { removeConsole } from './remove-console/remove-console.ts'
import { styledComponents } from './styled-components/styled-components.ts'
import { styledJsx } from './styled-jsx/styled-jsx.ts'
import { styles } from './styles/styles.ts'

export const PLUGINS: readonly NextPlugin[] = [
  linkAnchors,
  loaders,
  mdx,
  pathAliases,
  styledJsx,
  removeConsole,
  jsxSource,
  codeEnv,
  og,
  moduleNames,
  fonts,
  browserModules,
  styles,
  styledComponents,
]
