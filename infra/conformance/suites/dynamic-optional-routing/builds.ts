// Folders of pages that a build refuses.

import { expect } from 'vitest'
import type { Behaviour, BuildBehaviour, BuildResult } from '../../harness/behaviour.ts'

const PAGE = 'export default function Some() {\n  return null\n}\n'

function refuses(number: number, does: string, files: Record<string, string>, named: RegExp): BuildBehaviour {
  return {
    id: `dynamic-optional-routing-${number}`,
    does,
    via: 'build',
    files,
    async run({ code, output }) {
      expect(output).toMatch(named)
      expect(code).not.toBe(0)
    },
  }
}

export const builds: readonly Behaviour[] = [
  refuses(25, 'refuses an index page next to a page for the whole site', { 'pages/[[...path]].js': PAGE, 'pages/index.js': PAGE }, /\[\[\.\.\.path\]\]/),
  refuses(
    26,
    'refuses a page with the path of the folder of an optional catch-all page',
    { 'pages/rooms/[[...path]].js': PAGE, 'pages/rooms.js': PAGE },
    /rooms\/?\[\[\.\.\.path\]\]/,
  ),
  refuses(27, 'refuses a catch-all page next to an optional one', { 'pages/rooms/[[...path]].js': PAGE, 'pages/rooms/[...rest].js': PAGE }, /\[\.\.\.rest\]/),
  refuses(28, 'refuses an optional parameter of one segment', { 'pages/rooms/[[room]].js': PAGE }, /\[\[room\]\]/),
  {
    ...refuses(
      29,
      'refuses a list of paths without the parameter',
      {
        'pages/rooms/[[...path]].js': [
          'export const getStaticPaths = () => ({ paths: [{ params: {} }], fallback: false })',
          'export const getStaticProps = () => ({ props: {} })',
          PAGE,
        ].join('\n'),
      },
      /path.*\/rooms\/\[\[\.\.\.path\]\]/s,
    ),
    differs: {
      reason: 'an optional parameter that is missing is one without segments',
      async run({ code, output }: BuildResult) {
        expect(output).toContain('Rendered 1 page')
        expect(code).toBe(0)
      },
    },
  },
]
