export default function Office() {
  return <h1>Post office</h1>
}
