/** An error that has the code of a missing file. */
export async function getServerSideProps() {
  throw Object.assign(new Error('no such ship'), { code: 'ENOENT' })
}

export default function Wreck() {
  return <h1>Wreck</h1>
}
