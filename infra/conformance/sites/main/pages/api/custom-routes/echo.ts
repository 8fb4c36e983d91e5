export default function echo(request, response) {
  response.json({ query: request.query })
}
