// pages/orders.tsx
import type { GetServerSideProps, PageProps } from 'portico'
import { OrderForm } from '../components/order-form.tsx'
import { reader } from '../lib/database.ts'

interface Order {
  id: string
  product: string
  pieces: number
}

export const getServerSideProps = (async () => {
  const orders: Order[] = await reader`
    select id, product, pieces from orders order by id desc limit 50
  `
  return { props: { orders: [...orders] } }
}) satisfies GetServerSideProps

export default function Orders({
  orders,
}: PageProps<typeof getServerSideProps>) {
  return (
    <main>
      <title>Orders</title>
      <h1>Orders</h1>
      {orders.map(({ id, product, pieces }) => (
        <p key={id}>
          {pieces} of {product}
        </p>
      ))}
      <OrderForm />
    </main>
  )
}
