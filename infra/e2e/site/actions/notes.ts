'use server'
// Actions of the second site: a plain one, one with a schema, and ones whose running can be counted.

import { redirect } from 'portico'
import { cookies, defineAction, revalidatePath, revalidateTag } from 'portico/server'
import { noteInput } from '../lib/note-input.ts'
import { addNote, countUp, removeNote } from '../lib/note-store.ts'

/** Plain function as `<form action>`. */
export async function saveNote(input: unknown): Promise<void> {
  addNote('form', readField(input, 'note'))
  await revalidatePath('/form')
}

/** Declared, with a schema; its limits are its own. */
export const saveThingNote = defineAction({ input: noteInput, bodyLimitBytes: 4096 }, async (input) => {
  addNote(`thing:${input.thing}`, input.text)
  await revalidatePath(`/things/${input.thing}`)
  return { saved: input.text }
})

/** Pins a note to the board, which shows it. */
export const pinNote = defineAction({}, async (input) => {
  const text = readField(input, 'text')
  addNote('board', text)
  await revalidatePath('/board')
  return { pinned: text }
})

/** The same, and leads away: a visitor who goes back meets the form as it was left. */
export async function pinNoteAndLeave(input: unknown): Promise<never> {
  addNote('board', readField(input, 'text'))
  redirect('/about')
}

/** `id` is bound while the page is rendered. */
export async function takeNoteDown(id: number): Promise<void> {
  removeNote(id)
  countUp('take-down')
}

/** Counts how often it really ran. Waits `waitMs` milliseconds first. */
export const count = defineAction({}, async (input): Promise<{ count: number }> => {
  const waitMs = Math.min(Number(input.waitMs) || 0, 5000)
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
  return { count: countUp('count') }
})

/** The same, but declared so that a run whose replica died is done again. */
export const countSafely = defineAction({ safeToRepeat: true }, async (input): Promise<{ count: number }> => {
  await new Promise((resolve) => setTimeout(resolve, Math.min(Number(input.waitMs) || 0, 5000)))
  return { count: countUp('count') }
})

/** What pages show under the tag is out of date. */
export async function publishNews(): Promise<void> {
  await revalidateTag('news')
}

/** Called from a component with arguments of JSON. */
export async function add(left: number, right: number): Promise<number> {
  countUp('add')
  return left + right
}

export async function signIn(input: unknown): Promise<never> {
  cookies().set('session', readField(input, 'user'), { path: '/', httpOnly: true, sameSite: 'lax' })
  redirect('/headers')
}

export async function fail(): Promise<never> {
  countUp('fail')
  throw new Error('fixture action failed: secret-of-the-action')
}

/** Tells what arrived of a file. */
export const upload = defineAction({ bodyLimitBytes: 200_000 }, async (input) => {
  const file = input.picture
  if (!(file instanceof File)) return { size: -1, name: '', type: '' }
  return { size: (await file.arrayBuffer()).byteLength, name: file.name, type: file.type }
})

/** Form data arrives as a plain object. */
function readField(input: unknown, name: string): string {
  const value = typeof input === 'object' && input !== null ? new Map(Object.entries(input)).get(name) : undefined
  return typeof value === 'string' ? value : ''
}
