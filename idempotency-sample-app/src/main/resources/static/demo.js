/* What a call can meet, how it is coloured, and what that means. */
const OUTCOMES = {
    executed: ['good', 'The key was new: the method ran, and its effect was committed with the response'],
    retried: ['good', 'The last attempt had failed: the method ran again'],
    recovered: ['good', 'An expired lease was taken over: the method ran'],
    replayed: ['same', 'The stored response: the method did not run'],
    failure_replayed: ['same', 'The recorded failure: the method did not run'],
    in_progress: ['wait', 'Another attempt held the key for longer than this one would wait'],
    key_reused: ['bad', 'The key had been used with another payload: refused'],
    failed: ['bad', 'The method failed: everything was rolled back'],
    failed_final: ['bad', 'The method failed for good: the failure was recorded'],
    response_expired: ['bad', 'The response is no longer stored'],
    unreadable: ['bad', 'The stored response cannot be read'],
    abandoned: ['bad', 'The key was left as being processed'],
    lease_lost: ['bad', 'The lease was lost'],
    invalid_key: ['bad', 'The key was missing or malformed'],
};

const STATEMENTS = 300;

const $ = id => document.getElementById(id);

const money = new Intl.NumberFormat('en', {style: 'currency', currency: 'EUR'});
const clock = new Intl.DateTimeFormat('en', {hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23'});
const day = new Intl.DateTimeFormat('en', {day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23'});

const form = $('form');

/* The run that is shown: attempts by their number. */
let run = null;
let drawing = false;
/* The SQL of the run: how many lines are shown, the groups by transaction, and how attempts' transactions ended. */
let statements = {count: 0, groups: new Map(), committed: 0, rolledBack: 0};

function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    if (text !== undefined && text !== null) {
        made.textContent = text;
    }
    for (const [attribute, value] of Object.entries(attributes)) {
        made.setAttribute(attribute, value);
    }
    return made;
}

function plural(count, word) {
    return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function cents(amount) {
    return money.format(amount / 100);
}

function milliseconds(value) {
    return value < 10 ? value.toFixed(2) : value.toFixed(0);
}

function put(id, text) {
    const target = $(id);
    if (target.textContent !== text) {
        target.textContent = text;
    }
}

function mark(id, text, kind) {
    put(id, text);
    $(id).dataset.kind = kind;
}

/* Asking */

function newKey() {
    const random = crypto.getRandomValues(new Uint32Array(2));
    $('key').value = 'order-' + Array.from(random, number => number.toString(36)).join('').slice(0, 10);
}

function tell(text) {
    $('summary').textContent = text;
}

async function pay(attempts) {
    const data = new FormData(form);
    tell(attempts === 1 ? 'Asking once …' : `Asking ${attempts} times at once …`);
    try {
        const response = await fetch('demo/runs', {
            method: 'POST',
            headers: {'Content-Type': 'application/json'},
            body: JSON.stringify({
                key: data.get('key'),
                accountId: data.get('account'),
                amountCents: Math.round(Number(data.get('amount')) * 100),
                attempts,
                fault: data.get('fault'),
            }),
        });
        if (!response.ok) {
            const problem = await response.json();
            tell(`The application refused: ${problem.detail ?? problem.title ?? response.status}`);
        }
    } catch {
        tell('The application does not answer.');
    }
}

form.addEventListener('submit', event => {
    event.preventDefault();
    pay(Number(event.submitter?.value ?? 1));
});

$('new-key').addEventListener('click', () => {
    newKey();
    tell(`The key is now ${$('key').value}.`);
});

$('other-amount').addEventListener('click', () => {
    const amount = $('amount');
    amount.value = (Number(amount.value) + 1).toFixed(2);
    tell(`The amount is now ${money.format(Number(amount.value))}, the key is still ${$('key').value}. Pay to see what that meets.`);
});

/* Attempts */

function kind(outcome) {
    return (OUTCOMES[outcome] ?? ['', ''])[0];
}

function name(attempt) {
    return attempt.outcome ?? attempt.title ?? (attempt.status ? 'refused' : 'no answer');
}

function bar(attempt, end) {
    const space = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(space, 'svg');
    svg.setAttribute('class', 'bar');
    svg.setAttribute('viewBox', '0 0 100 8');
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('aria-hidden', 'true');
    const rectangle = (x, width, type) => {
        const drawn = document.createElementNS(space, 'rect');
        for (const [attribute, value] of Object.entries({x, y: 0, width, height: 8, class: type})) {
            drawn.setAttribute(attribute, value);
        }
        svg.append(drawn);
    };
    rectangle(0, 100, 'track');
    if (attempt.outcome !== undefined) {
        svg.dataset.kind = kind(attempt.outcome);
        const sent = attempt.sentMilliseconds / end * 100;
        const answered = sent + attempt.tookMilliseconds / end * 100;
        const ran = attempt.beganMilliseconds !== null && attempt.endedMilliseconds !== null;
        const began = ran ? attempt.beganMilliseconds / end * 100 : answered - 1;
        const ended = ran ? attempt.endedMilliseconds / end * 100 : answered;
        rectangle(sent, Math.max(answered - sent, 1), 'wait');
        rectangle(began, Math.max(ended - began, 1), 'span');
    }
    return svg;
}

function drawAttempts() {
    $('no-attempts').hidden = run !== null;
    $('legend').hidden = run === null;
    if (run === null) {
        return;
    }
    const attempts = [...run.attempts.values()];
    const met = attempts.filter(attempt => attempt.outcome !== undefined);
    const end = Math.max(1, ...met.map(attempt => attempt.sentMilliseconds + attempt.tookMilliseconds));
    $('attempts').tBodies[0].replaceChildren(...attempts.map(attempt => {
        const row = element('tr', null, {'data-attempt': attempt.number});
        row.append(element('td', attempt.number, {class: 'number'}));
        const outcome = element('td');
        if (attempt.outcome === undefined) {
            outcome.append(element('span', run.lost ? 'unknown' : 'waiting', {class: 'badge'}));
        } else {
            outcome.append(element('span', name(attempt), {
                class: 'badge', 'data-kind': kind(attempt.outcome), 'data-outcome': attempt.outcome ?? ''}));
            if (attempt.repeats > 0) {
                outcome.append(element('span', `connection lost, method run again`, {class: 'hint'}));
            }
        }
        row.append(outcome);
        row.append(element('td', attempt.status ?? ''));
        row.append(element('td', (attempt.waitedFor ?? []).map(number => `#${number}`).join(', '), {class: 'waited'}));
        const when = element('td', null, {class: 'when'});
        when.append(bar(attempt, end));
        row.append(when);
        row.append(element('td', attempt.outcome === undefined ? '' : milliseconds(attempt.tookMilliseconds), {class: 'number'}));
        return row;
    }));
    const counts = count(met);
    $('outcomes').replaceChildren(...counts.map(([outcome, number]) => {
        const item = element('li');
        const [type, meaning] = OUTCOMES[outcome] ?? ['', ''];
        item.append(element('span', `${number} × ${outcome}`, {class: 'badge', 'data-kind': type}));
        if (meaning) {
            item.append(' ' + meaning);
        }
        const titles = new Set(met.filter(attempt => name(attempt) === outcome && attempt.title && attempt.title !== outcome)
            .map(attempt => `${attempt.status} ${attempt.title}`));
        if (titles.size > 0) {
            item.append(element('span', `Answer: ${[...titles].join(', ')}`, {class: 'hint'}));
        }
        return item;
    }));
}

function count(met) {
    const counts = new Map();
    met.forEach(attempt => counts.set(name(attempt), (counts.get(name(attempt)) ?? 0) + 1));
    return [...counts];
}

function drawSoon() {
    if (!drawing) {
        drawing = true;
        requestAnimationFrame(() => {
            drawing = false;
            drawAttempts();
        });
    }
}

/* The database */

function time(text) {
    return clock.format(new Date(text));
}

function stored(row) {
    if (row === null) {
        return 'none';
    }
    if (row.status === 'failed_retryable') {
        return `none: the next attempt runs the method. The last one failed: ${row.failure}`;
    }
    return row.status === 'succeeded' ? JSON.stringify(row.response, null, 2) : row.failure ?? 'none';
}

function drawRow(key, row) {
    put('row-key', key || '–');
    mark('row-status', row?.status ?? 'none', row === null ? '' : row.status === 'succeeded' ? 'good' : 'bad');
    put('row-attempts', row === null ? '–' : String(row.attempts));
    put('row-created', row === null ? '–' : time(row.createdAt));
    put('row-expires', row === null ? '–' : day.format(new Date(row.expiresAt)));
    put('response', stored(row));
}

function drawEffects(payments, row) {
    mark('effects-count', plural(payments.length, 'payment'), payments.length > 1 ? 'bad' : payments.length === 1 ? 'good' : '');
    $('effects').replaceChildren(...payments.map(payment =>
        element('li', `${cents(payment.amountCents)} from ${payment.accountId}, ${payment.status.toLowerCase()}`)));
    if (payments.length === 0 && row?.status.startsWith('failed')) {
        $('effects').append(element('li', 'Nothing stayed: whatever the attempt had written was rolled back.'));
    }
}

function drawOutbox(messages, notifications, waiting) {
    const sent = messages.filter(message => message.status === 'sent').length;
    mark('outbox-count',
        messages.length === 0 ? '0 messages' : `${sent} of ${messages.length} sent`,
        messages.length === 0 ? '' : sent === messages.length ? 'good' : 'wait');
    $('messages').replaceChildren(...messages.map(message =>
        element('li', `${message.type}: ${message.status}${message.milliseconds === null ? '' : ` after ${message.milliseconds} ms`}`)));
    put('notified', plural(notifications, 'notification'));
    put('waiting', String(waiting));
}

function drawProjections(accountId, account) {
    put('projections-account', accountId);
    if (account !== null) {
        const shown = Math.min(account.projectedVersion, account.countedEvents);
        const behind = account.version - shown;
        mark('projected', behind > 0 ? `${behind} behind` : 'up to date', behind > 0 ? 'wait' : 'good');
        $('progress').max = account.version;
        $('progress').value = shown;
        put('events', `version ${account.version}, ${cents(account.balanceCents)}`);
        put('projected-balance', `version ${account.projectedVersion}, ${cents(account.projectedCents)}`);
        put('counted', String(account.countedEvents));
    }
}

function drawRecent(recent) {
    const focused = document.activeElement?.dataset?.key;
    $('recent').tBodies[0].replaceChildren(...recent.map(request => {
        const row = element('tr');
        const key = element('td');
        if (request.scope === 'payments') {
            const use = element('button', request.key, {
                type: 'button', class: 'link', 'data-key': request.key, 'aria-label': `Use the key ${request.key}`});
            use.addEventListener('click', () => {
                $('key').value = request.key;
                tell(`The key is now ${request.key}.`);
            });
            key.append(use);
        } else {
            key.textContent = request.key;
        }
        row.append(key, element('td', request.scope), element('td', request.status),
            element('td', request.attempts, {class: 'number'}), element('td', time(request.updatedAt)));
        return row;
    }));
    if (focused) {
        $('recent').querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    }
}

function drawState(state) {
    drawRow(state.key, state.row);
    drawEffects(state.payments, state.row);
    drawOutbox(state.messages, state.notifications, state.waiting);
    drawProjections(state.accountId, state.account);
    drawRecent(state.recent);
}

/* SQL */

function clearStatements() {
    [...$('sql').tBodies].forEach(group => group.remove());
    statements = {count: 0, groups: new Map(), committed: 0, rolledBack: 0};
    put('transactions', '');
}

function by(line) {
    return line.attempt === null ? 'background' : `#${line.attempt}`;
}

function statementRow(line, text, failure) {
    const row = element('tr', null, line.succeeded ? {} : {class: 'failed'});
    const statement = element('td');
    statement.append(element('code', text));
    if (failure) {
        statement.append(' ', element('span', failure, {class: 'badge', 'data-kind': 'bad'}));
    }
    row.append(element('td', by(line)), statement);
    return row;
}

/* The driver sends BEGIN with the first statement, so it took no time of its own. */
function group(line) {
    const known = statements.groups.get(line.transaction);
    if (known) {
        return known;
    }
    const made = element('tbody');
    if (line.transaction !== null) {
        made.className = 'transaction';
        statements.groups.set(line.transaction, made);
        const begin = statementRow({...line, succeeded: true}, 'BEGIN');
        begin.append(element('td'));
        made.append(begin);
    }
    $('sql').append(made);
    return made;
}

function addEnd(line, target) {
    const committed = line.text === 'COMMIT' && line.succeeded;
    target.dataset.end = committed ? 'committed' : 'rolled-back';
    if (line.attempt !== null) {
        statements.committed += committed;
        statements.rolledBack += !committed;
        put('transactions', `Transactions of the attempts: ${statements.committed} committed, ${statements.rolledBack} rolled back.`);
    }
}

function addStatement(line) {
    const ends = line.text === 'COMMIT' || line.text === 'ROLLBACK';
    /* A transaction that is shown is shown to its end. */
    if (statements.count >= STATEMENTS && !statements.groups.has(line.transaction)) {
        return;
    }
    statements.count++;
    const target = group(line);
    const failure = line.succeeded ? null : ends ? 'no answer: the server has rolled back' : 'failed';
    const row = statementRow(line, line.text, failure);
    row.append(element('td', milliseconds(line.milliseconds), {class: 'number'}));
    target.append(row);
    if (ends) {
        addEnd(line, target);
    }
}

/* The stream */

/* What is sent while nobody listens is not sent again. */
function lose() {
    if (document.body.dataset.run === 'running') {
        run.lost = true;
        document.body.dataset.run = 'lost';
        tell('The connection was lost before all attempts were answered. Ask again with the same key.');
        drawSoon();
    }
}

function summarize() {
    const attempts = [...run.attempts.values()].filter(attempt => attempt.outcome !== undefined);
    const outcomes = count(attempts).map(([outcome, number]) => `${number} ${outcome.replaceAll('_', ' ')}`).join(', ');
    tell(`${plural(attempts.length, 'attempt')} with the key ${run.request.key}: ${outcomes}.`);
}

const handlers = {
    run(started) {
        const attempts = new Map();
        for (let number = 1; number <= started.request.attempts; number++) {
            attempts.set(number, {number});
        }
        run = {runId: started.runId, request: started.request, attempts};
        clearStatements();
        document.body.dataset.run = 'running';
        drawSoon();
    },
    attempt(met) {
        if (run?.runId === met.runId) {
            run.attempts.set(met.number, met);
            drawSoon();
        }
    },
    done(ended) {
        if (run?.runId === ended.runId && !run.lost) {
            summarize();
            document.body.dataset.run = 'done';
        }
    },
    sql(line) {
        if (run !== null && (line.runId === null || line.runId === run.runId)) {
            addStatement(line);
        }
    },
    state: drawState,
};

function connect() {
    const stream = new EventSource('demo/events');
    const connection = (state, text) => {
        $('connection').dataset.state = state;
        put('connection', text);
    };
    stream.addEventListener('open', () => connection('live', 'Live'));
    stream.addEventListener('error', () => {
        connection('lost', 'Connection lost, trying again …');
        lose();
        if (stream.readyState === EventSource.CLOSED) {
            setTimeout(connect, 2000);
        }
    });
    for (const [event, handler] of Object.entries(handlers)) {
        stream.addEventListener(event, message => handler(JSON.parse(message.data)));
    }
}

newKey();
connect();
