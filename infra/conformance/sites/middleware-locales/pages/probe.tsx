/** Its HTML has the id of the build. */
export default function Probe() {
  return <main>probe</main>
}
