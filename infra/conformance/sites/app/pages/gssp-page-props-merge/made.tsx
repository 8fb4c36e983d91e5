import { State } from '../../components/state'

export const getStaticProps = () => ({ props: { soil: 'of the page' } })

export default function Page({ soil, water }: { soil: string; water: string }) {
  return <State props={{ soil, water }} />
}
