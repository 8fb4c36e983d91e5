import { State } from '../../components/state'

export const getServerSideProps = () => ({ props: { text: 'shown instead' } })

export default function ServedInstead(props: object) {
  return (
    <main>
      <h1>Served instead</h1>
      <State props={props} />
    </main>
  )
}
