import { State } from '../../components/state'

export const getServerSideProps = () => ({ props: { soil: 'of the page' } })

export default function Page({ soil, water }: { soil: string; water: string }) {
  return <State props={{ soil, water }} />
}
