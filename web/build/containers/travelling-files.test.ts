// Which files of an app folder travel into images, with real folders.

import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { readTravellingFiles } from './travelling-files.ts'

afterAll(removeFolders)

/** Empty files by path; `rules` are files with a text. */
async function travelling(paths: readonly string[], rules: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const dir = await createFolder({ ...Object.fromEntries(paths.map((path) => [path, ''])), ...rules })
  return (await readTravellingFiles(dir)).filter((path) => !/\.(git|docker)ignore$/.test(path))
}

describe('files without a list', () => {
  test('K2 everything travels but outputs, data, packages, the history and local values', async () => {
    const never = [
      ...['dist/manifest.json', '.portico/x', '.data/action-key.secret', '.git/config', 'node_modules/a/index.js'],
      ...['lib/node_modules/a.js', '.env.local', '.env.production.local', '.env.development.local'],
    ]
    const always = [
      '.env',
      '.env.production',
      'content/a.md',
      'content/dist/b.md',
      'content/.hidden',
      'pages/index.tsx',
    ]
    expect(await travelling([...never, ...always], { 'package.json': '{}' })).toEqual(
      [...always, 'package.json'].sort(),
    )
  })

  test('K2 symbolic links do not travel', async () => {
    const dir = await createFolder({ 'content/a.md': '' })
    await symlink('a.md', join(dir, 'content/b.md'))
    await symlink('..', join(dir, 'content/up'))
    expect(await readTravellingFiles(dir)).toEqual(['content/a.md'])
  })

  test.each([
    ['notes', ['notes', 'a/notes/x', 'a/notes'], ['notes.md', 'a/my-notes']],
    ['/notes', ['notes/x'], ['a/notes']],
    ['a/notes', ['a/notes/x'], ['b/a/notes']],
    ['notes/', ['notes/x', 'a/notes/x'], ['b/notes']],
    ['*.log', ['x.log', 'a/b/.log'], ['x.log.md']],
    ['a/*.md', ['a/x.md'], ['a/b/x.md', 'x.md']],
    ['a/**/x', ['a/x', 'a/b/c/x'], ['x']],
    ['**/b', ['b', 'a/b'], ['ab']],
    ['a/**', ['a/x', 'a/b/x'], ['b/a']],
    ['x[0-9]?', ['x1a'], ['xab', 'x1']],
    ['{a,b}', ['{a,b}'], ['a', 'b']],
    ['# a comment', [], ['# a comment']],
    ['\\#a', ['#a'], ['a']],
    ['\\!a', ['!a'], ['a']],
    ['a  ', ['a'], ['a b']],
    ['*\n!keep.md', ['x.md'], ['keep.md']],
    ['*.md\n!keep.md\nkeep.md', ['keep.md'], ['x']],
    // gitignore(5): a file in an ignored folder cannot be included again.
    ['a/\n!a/keep.md', ['a/keep.md'], ['keep.md']],
    ['/*\n!/a\n/a/*\n!/a/keep.md', ['a/x.md', 'b'], ['a/keep.md']],
  ])('K2 .gitignore %j ignores %j and not %j', async (text, ignored, kept) => {
    expect(await separately([...ignored, ...kept], { '.gitignore': text })).toEqual([...kept].sort())
  })

  test.each([
    ['notes', ['notes', 'notes/x'], ['a/notes']],
    ['/notes/', ['notes/x'], ['a/notes']],
    ['**/notes', ['notes', 'a/notes/x'], ['notes.md']],
    ['*.md', ['x.md', '.md'], ['a/x.md']],
    ['*/x', ['a/x'], ['x', 'a/b/x']],
    ['  notes  ', ['notes'], ['a']],
    ['a\n!a/keep.md', ['a/x.md'], ['a/keep.md']],
    ['**\n!content\ncontent/drafts', ['x', 'content/drafts/x'], ['content/x', 'content/b/x']],
    ['# notes', [], ['notes']],
  ])('K2 .dockerignore %j ignores %j and not %j', async (text, ignored, kept) => {
    expect(await separately([...ignored, ...kept], { '.dockerignore': text })).toEqual([...kept].sort())
  })

  test('K2 what one of the two files ignores does not travel; a file of a folder below wins over that of its parent', async () => {
    const paths = ['a/one', 'a/two', 'a/three', 'b/one', 'b/two']
    const rules = {
      '.gitignore': 'one\n',
      '.dockerignore': 'a/two\n',
      'a/.gitignore': '!one\n',
      'b/.gitignore': '/two\n',
    }
    expect(await travelling(paths, rules)).toEqual(['a/one', 'a/three'])
    // git keeps the files of a folder that is included again.
    expect(await travelling(['b/one/x', 'one/x'], { '.gitignore': 'one\n', 'b/.gitignore': '!one\n' })).toEqual([
      'b/one/x',
    ])
  })
})

describe('files that package.json lists', () => {
  test.each([
    [['content'], ['content/a.md', 'content/b/.c'], ['a/content/x', 'content.md', 'pages/x']],
    [['./content/', '/lib'], ['content/a.md', 'lib/x'], ['pages/x']],
    [['content/*.md'], ['content/a.md'], ['content/b/c.md', 'content/a.txt']],
    [['**/*.md'], ['a.md', 'content/b/c.md'], ['a.txt']],
    [['*.{md,txt}'], ['a.md', 'a.txt'], ['a.ts']],
    [['content', '!content/drafts'], ['content/a'], ['content/drafts/b', 'content/drafts/c/d']],
    [['content', '!**/*.txt', 'content/keep.txt'], ['content/keep.txt'], ['content/a.txt']],
    [['.'], ['a', 'b/c'], []],
    [[], [], ['a', 'README.md']],
    [['.env.local', 'dist', 'node_modules', '.data'], [], ['.env.local', 'dist/x', 'node_modules/x', '.data/x']],
  ])('K2 %j lists %j and not %j', async (files, listed, others) => {
    const paths = await travelling([...listed, ...others], { 'package.json': JSON.stringify({ files }) })
    expect(paths).toEqual([...listed, 'package.json'].sort())
  })

  test('K2 the list wins over the ignore files of the app folder, and not over those of folders below', async () => {
    const rules = {
      ...{ 'package.json': '{"files":["content"]}', '.gitignore': 'content\n', '.dockerignore': 'content\n' },
      'content/.gitignore': 'drafts\n',
    }
    expect(await travelling(['content/a', 'content/drafts/b'], rules)).toEqual(['content/a', 'package.json'])
  })

  test.each(['"content"', '[1]', '{}', 'null'])('K2 refuses files = %s', async (files) => {
    const dir = await createFolder({ 'package.json': `{"files":${files}}` })
    await expect(readTravellingFiles(dir)).rejects.toThrow('package.json: files must be a list of paths and globs')
  })
})

/** As travelling; each file is in its own folder, because one path may be a file and a folder. */
async function separately(paths: readonly string[], rules: Readonly<Record<string, string>>): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) {
    const dir = await createFolder(rules)
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), '')
    if ((await readTravellingFiles(dir)).includes(path)) found.push(path)
  }
  return found.sort()
}
