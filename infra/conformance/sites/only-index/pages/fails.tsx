export default function Never() {
  return <p>Never shown</p>
}

Never.getInitialProps = () => {
  throw new Error('no shelf')
}
