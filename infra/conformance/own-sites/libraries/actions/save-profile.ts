// actions/save-profile.ts
'use server'
import { defineAction, redirect } from 'portico/server'
import { profile } from '../lib/profile.ts'

const TAKEN = ['Ada']

const input = profile.refine(({ name }) => !TAKEN.includes(name), {
  path: ['name'],
  error: 'This name is taken.',
})

export const saveProfile = defineAction({ input }, async ({ name, age }) => {
  if (age > 65) redirect('/')
  return { saved: name }
})
