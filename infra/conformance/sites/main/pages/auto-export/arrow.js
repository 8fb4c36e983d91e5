const React = require('react')

module.exports = () => React.createElement('h1', { id: 'state' }, 'An arrow')
