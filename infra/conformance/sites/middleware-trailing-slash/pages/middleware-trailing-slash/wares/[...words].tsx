import { State } from '../../../components/state'

export const getServerSideProps = ({ params }: { params: object }) => ({ props: { params } })

export default function Wares(props: object) {
  return (
    <main>
      <h1>Wares</h1>
      <State props={props} />
    </main>
  )
}
