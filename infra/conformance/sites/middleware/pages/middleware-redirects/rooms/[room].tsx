import { State } from '../../../components/state'

export const getServerSideProps = ({ params }: { params: object }) => ({ props: { params } })

export default function Room(props: object) {
  return (
    <main>
      <h1>Room</h1>
      <State props={props} />
    </main>
  )
}
