import type { GetServerSideProps } from 'next'

export const getServerSideProps: GetServerSideProps = async ({ query }) => {
  if (query.fails) throw new Error('of the page')
  return { props: { seen: Reflect.get(globalThis, 'seenByInstrumentation') } }
}

export default function Observed({ seen }: { seen: string[] }) {
  return <pre>{seen.join('\n')}</pre>
}
