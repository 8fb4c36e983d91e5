// lib/profile.ts
import { z } from 'zod'

z.config({ jitless: true })

export const profile = z.object({
  name: z.string().min(1, 'Your name, please.'),
  age: z.coerce.number<string>().int().min(16, 'From the age of 16.'),
})
