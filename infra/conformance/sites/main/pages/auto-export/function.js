const React = require('react')

module.exports = function Page() {
  return React.createElement('h1', { id: 'state' }, 'A function')
}
