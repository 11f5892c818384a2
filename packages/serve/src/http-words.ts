// HTTP methods and status texts of Node. This is the only file that imports Node's HTTP module for
// values.
export { METHODS, STATUS_CODES } from 'node:http';
