export default function Page() {
  return <h1>Probe</h1>
}
