import{A as r}from"./shared.js";function e(o){r(()=>{document.title=`${o} - Errai`},[o])}export{e as u};
