export default function Broken() {
  return <p>Never shown</p>
}

Broken.getInitialProps = () => {
  throw new Error('no way on')
}
