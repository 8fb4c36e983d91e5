// Draws the landscapes and icons of the Atlas into public/, keeps what is already drawn, and brings the catalogue up to date.
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { catalogueText, coverText } from './catalogue.ts'
import { drawAll } from './crew.ts'
import { faviconSvg, icons, renderIcon } from './icons.ts'
import { hashIcon, hashLandscape, landscapeFile } from './recipe.ts'
import { scenes } from './scenes/index.ts'

const help = `Usage: node drawing/draw.ts [--force] [--only <slug>]…

Draws the landscapes into public/landscapes/ and the icons into public/.
A picture whose recipe has not changed is kept.

  --force         draw again what exists already
  --only <slug>   draw this landscape only; may be repeated
  --help          this text

Landscapes: ${scenes.map(({ slug }) => slug).join(', ')}
`

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = `${root}public/landscapes/`
const say = (line: string) => process.stdout.write(`${line}\n`)
const line = (slug: string, rest: string) => say(`  ${slug.padEnd(14)} ${rest}`)

type Options = { force: boolean; only: readonly string[] }

async function drawLandscapes({ force, only }: Options): Promise<void> {
  const wanted = scenes.filter(({ slug }) => only.length === 0 || only.includes(slug))
  const orders = []
  for (const scene of wanted) {
    const file = folder + landscapeFile(scene)
    if (!force && existsSync(file)) line(scene.slug, 'kept')
    else orders.push({ slug: scene.slug, file })
  }
  await drawAll(orders, (answer) => {
    if (answer.kind !== 'done') return
    line(answer.slug, `${(answer.ms / 1000).toFixed(1)} s  ${(answer.bytes / 1e6).toFixed(1)} MB`)
  })
}

async function drawIcons(force: boolean): Promise<void> {
  await writeWhenChanged(`${root}public/favicon.svg`, faviconSvg())
  const known = await readRecipes()
  for (const { file, size } of icons) {
    if (!force && known.get(`public/${file}`) === hashIcon(size) && existsSync(`${root}public/${file}`)) continue
    await writeFile(`${root}public/${file}`, await renderIcon(size))
    line(file, 'drawn')
  }
}

/** Pictures of earlier recipes, and halves that an interrupted run left. */
async function deleteOldFiles(): Promise<void> {
  const current = new Set(scenes.map((scene) => landscapeFile(scene)))
  for (const name of await readdir(folder)) {
    if (current.has(name) || (name.endsWith('.partial') && (await isFresh(folder + name)))) continue
    await rm(folder + name, { force: true })
  }
}

/** A half that is a few minutes old belongs to a run that goes on beside this one. */
async function isFresh(file: string): Promise<boolean> {
  const facts = await stat(file).catch(() => undefined)
  return facts !== undefined && Date.now() - facts.mtimeMs < 600_000
}

async function writeWhenChanged(path: string, text: string): Promise<void> {
  const before = await readFile(path, 'utf8').catch(() => '')
  if (before !== text) await writeFile(path, text)
}

const recipesFile = `${root}.portico/assets.json`

async function readRecipes(): Promise<Map<string, string>> {
  const text = await readFile(recipesFile, 'utf8').catch(() => '{}')
  const recipes = new Map<string, string>()
  try {
    const read: { files?: Record<string, { recipe?: string }> } = JSON.parse(text)
    for (const [file, { recipe }] of Object.entries(read.files ?? {})) if (recipe) recipes.set(file, recipe)
  } catch {
    // A damaged list costs a second of drawing; it is written anew at the end.
  }
  return recipes
}

/** What the build takes as the content of generated files. Only files that are there are listed. */
async function writeRecipes(): Promise<void> {
  const files: Record<string, { recipe: string }> = {}
  for (const scene of scenes) {
    const recipe = hashLandscape(scene)
    const file = `public/landscapes/${landscapeFile(scene, recipe)}`
    if (existsSync(root + file)) files[file] = { recipe }
  }
  for (const { file, size } of icons) files[`public/${file}`] = { recipe: hashIcon(size) }
  await writeWhenChanged(recipesFile, `${JSON.stringify({ files }, null, 2)}\n`)
}

function parseOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      force: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(help)
    return undefined
  }
  const unknown = values.only.find((slug) => !scenes.some((scene) => scene.slug === slug))
  if (unknown !== undefined) throw new Error(`--only ${unknown}: no such landscape. --help lists them`)
  return { force: values.force, only: values.only }
}

async function main(): Promise<void> {
  const options = parseOptions()
  if (!options) return
  const started = performance.now()
  say('Drawing the Atlas')
  await mkdir(folder, { recursive: true })
  await mkdir(`${root}.portico`, { recursive: true })
  await drawLandscapes(options)
  await drawIcons(options.force)
  await deleteOldFiles()
  await writeWhenChanged(`${root}content/landscapes.json`, catalogueText())
  await writeWhenChanged(`${root}content/cover.json`, coverText())
  await writeRecipes()
  say(`Done in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}

const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EEXIST', 'ENOTDIR', 'EISDIR'])

main().catch((error: unknown) => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = error instanceof Error ? error.message : String(error)
  const cause = unwritable.has(code)
    ? `cannot write below ${root} (${code}). Make public/, content/ and .portico/ writable`
    : message
  process.stderr.write(`The landscapes could not be drawn: ${cause}\n${unwritable.has(code) ? `${message}\n` : ''}`)
  process.exitCode = 1
})
