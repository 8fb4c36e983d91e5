// components/order-form.tsx
import { useActionState } from 'react'
import { placeOrder } from '../actions/place-order.ts'
import { FieldIssues } from './field-issues.tsx'

export function OrderForm() {
  const [state, place, pending] = useActionState(placeOrder, undefined)
  return (
    <form action={place}>
      <label>
        Product <input name="product" />
      </label>
      <FieldIssues of={state} path="product" />
      <label>
        Pieces <input name="pieces" defaultValue="1" />
      </label>
      <FieldIssues of={state} path="pieces" />
      <FieldIssues of={state} path="" />
      <button type="submit" disabled={pending}>
        Order
      </button>
    </form>
  )
}
