import { State } from '../../components/state'

export default function Terrace() {
  return (
    <>
      <h1>Terrace</h1>
      <State />
    </>
  )
}
