import { State } from '../../components/state'

export default function Post() {
  return (
    <main>
      <h1>Post office</h1>
      <State />
    </main>
  )
}
