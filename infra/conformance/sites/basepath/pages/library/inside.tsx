import { State } from '../../components/state'

export default function Inside() {
  return (
    <>
      <h1>Inside</h1>
      <State />
    </>
  )
}
