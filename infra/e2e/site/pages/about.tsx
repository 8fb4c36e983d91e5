// A page without data.

export default function About() {
  return (
    <>
      <title>About · Fixture</title>
      <h1>About</h1>
    </>
  )
}
