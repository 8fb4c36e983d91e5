import { randomUUID } from 'node:crypto'

export const getStaticProps = () => ({ props: { print: randomUUID() } })

export default function NoSuchBook({ print }: { print: string }) {
  return <p id="print">{print}</p>
}
