// actions/place-order.ts
'use server'
import { defineAction } from 'portico/server'
import { z } from 'zod'
import { writer } from '../lib/database.ts'

const input = z.object({
  product: z.string().min(1, 'Choose a product.'),
  pieces: z.coerce.number().int().min(1, 'At least one piece.'),
})

export const placeOrder = defineAction({ input }, async (order) => {
  await writer`insert into orders ${writer(order, 'product', 'pieces')}`
  return { kind: 'placed' } as const
})
