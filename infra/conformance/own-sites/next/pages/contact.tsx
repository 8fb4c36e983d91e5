import type { GetServerSideProps } from 'next'

async function readBody(request: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

export const getServerSideProps = (async ({ req, res }) => {
  const fields = new URLSearchParams(await readBody(req))
  const name = fields.get('name')
  if (req.method === 'POST' && !name) res.statusCode = 422
  return { props: { method: req.method, name } }
}) satisfies GetServerSideProps

export default function Contact({ method, name }: { method: string; name: string | null }) {
  return (
    <form method="post">
      <h1>{name ? `Thanks ${name}` : 'Contact'}</h1>
      <input name="name" />
      <button type="submit">Send</button>
      <p id="method">{method}</p>
    </form>
  )
}
