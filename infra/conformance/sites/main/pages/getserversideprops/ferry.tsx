import { Links } from '../../components/links'
import { State } from '../../components/state'

let trips = 0

/** Takes its time. */
export async function getServerSideProps() {
  const trip = ++trips
  await new Promise((resolve) => setTimeout(resolve, 500))
  return { props: { trip } }
}

export default function Ferry(props: object) {
  return (
    <main>
      <State props={props} />
      <Links to={{ home: { href: '/getserversideprops' } }} />
    </main>
  )
}
